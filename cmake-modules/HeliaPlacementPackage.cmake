# Installs the package, the registry and the Make include, and makes the same package usable from the build tree
# (-DHeliaPlacement_DIR=<build folder>).
include(CMakePackageConfigHelpers)

# ARCH_INDEPENDENT: a project for a 32-bit chip must accept the package that a 64-bit host built.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/HeliaPlacementConfigVersion.cmake"
                                 VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/HeliaPlacementConfig.cmake" @ONLY CONTENT
[[if(NOT HELIA_PLACEMENT_TOOL)
    set(HELIA_PLACEMENT_TOOL "@PROJECT_BINARY_DIR@/src/helia-placement")
endif()
include("@CMAKE_CURRENT_LIST_DIR@/HeliaPlacementConfig.cmake")
]])

# Once where find_package looks, once in the data folder, which `helia-placement --cmake-folder` prints.
set(helia_data_folder "${CMAKE_INSTALL_DATADIR}/helia-placement")
foreach(folder "${CMAKE_INSTALL_DATADIR}/cmake/HeliaPlacement" "${helia_data_folder}/cmake-modules")
    install(FILES "${CMAKE_CURRENT_LIST_DIR}/HeliaPlacementConfig.cmake" "${CMAKE_CURRENT_LIST_DIR}/HeliaPlacement.cmake"
                  "${PROJECT_BINARY_DIR}/HeliaPlacementConfigVersion.cmake"
            DESTINATION "${folder}")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/templates/make" DESTINATION "${helia_data_folder}/templates")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/soc-registry" DESTINATION "${helia_data_folder}")

# What planners built outside are compiled against.
install(FILES "${PROJECT_SOURCE_DIR}/src/include/helia_placement/planner.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/helia_placement")
