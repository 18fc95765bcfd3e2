# Installs the package, the registry and the Make include, and makes the same package usable from the build tree
# (-DHeliaPlacement_DIR=<build folder>).
include(CMakePackageConfigHelpers)

set(helia_package_folder "${CMAKE_INSTALL_DATADIR}/cmake/HeliaPlacement")
set(helia_data_folder "${CMAKE_INSTALL_DATADIR}/helia-placement")

# ARCH_INDEPENDENT: a project for a 32-bit chip must accept the package that a 64-bit host built.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/HeliaPlacementConfigVersion.cmake"
                                 VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

set(HELIA_PACKAGE_TOOL "${CMAKE_INSTALL_BINDIR}/helia-placement")
set(HELIA_PACKAGE_MODULES "${helia_package_folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/HeliaPlacementConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/HeliaPlacementConfig.cmake"
                              INSTALL_DESTINATION "${helia_package_folder}"
                              PATH_VARS HELIA_PACKAGE_TOOL HELIA_PACKAGE_MODULES)

set(HELIA_PACKAGE_TOOL "${PROJECT_BINARY_DIR}/src/helia-placement")
set(HELIA_PACKAGE_MODULES "${CMAKE_CURRENT_LIST_DIR}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/HeliaPlacementConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/HeliaPlacementConfig.cmake"
                              INSTALL_DESTINATION "${PROJECT_BINARY_DIR}"
                              PATH_VARS HELIA_PACKAGE_TOOL HELIA_PACKAGE_MODULES)

install(FILES "${PROJECT_BINARY_DIR}/package/HeliaPlacementConfig.cmake"
              "${PROJECT_BINARY_DIR}/HeliaPlacementConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/HeliaPlacement.cmake"
        DESTINATION "${helia_package_folder}")
install(FILES "${PROJECT_SOURCE_DIR}/templates/make/helia-placement.mk" DESTINATION "${helia_data_folder}/make")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/soc-registry" DESTINATION "${helia_data_folder}" OPTIONAL)
