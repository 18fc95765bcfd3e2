# Package of HeliaPlacement for find_package(HeliaPlacement REQUIRED). It brings the commands of HeliaPlacement.cmake and the path
# of the host tool. Nothing in it is ever built for the target, so it serves native and cross-compiling projects alike.
#
# The tool that belongs to this package comes first, since a helia-placement from elsewhere may be of another version; a project may
# name its own with -DHELIA_PLACEMENT_TOOL=<file>. A cross toolchain's sysroots are not searched: the tool runs on the host.

if(CMAKE_VERSION VERSION_LESS 3.20)
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "HeliaPlacement needs CMake 3.20 or newer (depfiles with Makefiles)")
    return()
endif()

if(NOT HELIA_PLACEMENT_TOOL)
    # <prefix>/share/<one>/<two>/HeliaPlacementConfig.cmake, <prefix>/bin/helia-placement
    get_filename_component(helia_placement_own_tool "${CMAKE_CURRENT_LIST_DIR}/../../../bin/helia-placement" ABSOLUTE)
    if(EXISTS "${helia_placement_own_tool}")
        set(HELIA_PLACEMENT_TOOL "${helia_placement_own_tool}")
    else()
        find_program(HELIA_PLACEMENT_TOOL helia-placement NO_CMAKE_FIND_ROOT_PATH)
    endif()
    unset(helia_placement_own_tool)
endif()
if(NOT EXISTS "${HELIA_PLACEMENT_TOOL}")
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
        "the host tool helia-placement is missing (${HELIA_PLACEMENT_TOOL}): build it, put it on the PATH, or set HELIA_PLACEMENT_TOOL")
    return()
endif()

# Constants are assembled. A project that only asked for C gets the assembler here, where a language may still be enabled.
get_property(helia_placement_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("C" IN_LIST helia_placement_languages AND NOT "ASM" IN_LIST helia_placement_languages)
    enable_language(ASM)
endif()
unset(helia_placement_languages)

include("${CMAKE_CURRENT_LIST_DIR}/HeliaPlacement.cmake")
