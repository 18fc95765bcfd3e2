# Commands of the package HeliaPlacement:
#
#   helia_placement_generate(<name> [SOC <soc> | BOARD <board>] [PROFILE <profile>] [MODEL <file>] [CONFIG <file>]
#                            [ENGINE <engine>] [PLANNER <planner>] [PREFIX <prefix>] [REGISTRY <folder>...] [OPTIONS <option>...])
#
#       Plans and writes the artifacts into <build folder>/helia-placement/<name>, again whenever the model, the config, a file of
#       the registry or the tool changes. Makes the target HeliaPlacement::<name>: arena and constant sources, include and link
#       folders. The prefix of all generated names is <prefix>, by default <name> as a C identifier. OPTIONS go to
#       `helia-placement generate` as they are (for example --set memory.planner=greedy).
#
#   helia_placement_link(<executable> <name> [BASE_SCRIPT <file>] [METHOD INCLUDE|INSERT|FULL|NATIVE]
#                        [CHECK POST_BUILD|TARGET|OFF])
#
#       Links the executable with the placement. METHOD FULL uses the generated script alone; METHOD INCLUDE (the default when
#       there is a base script) uses BASE_SCRIPT, which must say `INCLUDE <prefix>_sections.ld` in SECTIONS before its wildcards.
#       METHOD INSERT puts the sections into BASE_SCRIPT, which stays as it is, behind its .text. METHOD NATIVE generates no
#       script: what is placed goes into the sections that the SDK's own script collects, which is BASE_SCRIPT or what the
#       project passes already. The header then differs, so it is generated a second time, into a folder of its own; link with
#       HeliaPlacement::<name>_native where something else than the executable includes it.
#       CHECK is the gate on the linked image: POST_BUILD (default) fails the build, TARGET makes the target
#       <executable>_<name>_check instead. Where testing is enabled, a test <executable>.<name>.placement runs the same check.
#       A second linker script in the executable's options, CMAKE_EXE_LINKER_FLAGS or the libraries it links is refused: the linker
#       would take both. Only METHOD NATIVE without BASE_SCRIPT leaves the script to the project.
#       Must be called in the folder that created the executable. An executable may have several placements by METHOD INCLUDE.
#
# Outputs are rewritten only if their bytes change. They are BYPRODUCTS of a command whose OUTPUT is a stamp, so that with Ninja
# (restat) and with Make (time stamps) an unchanged artifact causes no compiling and no linking.

cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

function(_helia_placement_absolute result path)
    if(path MATCHES "^\\$<" OR path STREQUAL "")
        set(${result} "${path}" PARENT_SCOPE)
        return()
    endif()
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    set(${result} "${path}" PARENT_SCOPE)
endfunction()

# The options that name the inputs, as `generate` and `check` both take them.
function(_helia_placement_input_options result)
    set(options)
    foreach(pair "CONFIG:--config" "MODEL:--model" "SOC:--soc" "BOARD:--board" "PROFILE:--profile" "ENGINE:--engine" "PLANNER:--planner")
        string(REPLACE ":" ";" pair "${pair}")
        list(GET pair 0 key)
        list(GET pair 1 option)
        if(NOT "${ARG_${key}}" STREQUAL "")
            list(APPEND options "${option}" "${ARG_${key}}")
        endif()
    endforeach()
    set(${result} "${options}" PARENT_SCOPE)
endfunction()

function(helia_placement_generate name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "SOC;BOARD;PROFILE;MODEL;CONFIG;ENGINE;PLANNER;PREFIX" "REGISTRY;OPTIONS")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "helia_placement_generate(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(ARG_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "helia_placement_generate(${name}): no value for: ${ARG_KEYWORDS_MISSING_VALUES}")
    endif()
    if(NOT ARG_MODEL AND NOT ARG_CONFIG)
        message(FATAL_ERROR "helia_placement_generate(${name}): name a MODEL, or a CONFIG whose model.path names one")
    endif()
    if(ARG_SOC AND ARG_BOARD)
        message(FATAL_ERROR "helia_placement_generate(${name}): SOC and BOARD exclude each other")
    endif()
    if(TARGET HeliaPlacement::${name})
        message(FATAL_ERROR "helia_placement_generate(${name}): HeliaPlacement::${name} exists already")
    endif()
    if(NOT CMAKE_ASM_COMPILER)
        message(FATAL_ERROR "helia_placement_generate(${name}): constants are assembled; say project(... LANGUAGES C ASM)")
    endif()

    if(NOT ARG_PREFIX)
        string(MAKE_C_IDENTIFIER "${name}" ARG_PREFIX)
    endif()
    _helia_placement_absolute(ARG_MODEL "${ARG_MODEL}")
    _helia_placement_absolute(ARG_CONFIG "${ARG_CONFIG}")

    set(registry_options)
    foreach(folder IN LISTS ARG_REGISTRY)
        _helia_placement_absolute(folder "${folder}")
        list(APPEND registry_options --registry "${folder}")
    endforeach()
    _helia_placement_input_options(input_options)

    _helia_placement_add_generation(${name} "${CMAKE_CURRENT_BINARY_DIR}/helia-placement/${name}" "${ARG_PREFIX}" own
                                    "${registry_options}" "${input_options};${ARG_OPTIONS}" "${ARG_CONFIG};${ARG_MODEL}")
endfunction()

# The command that generates with section names `own` or `native`, and the library HeliaPlacement::<name> of what it makes. `options`
# of `generate` and `inputs` are lists.
function(_helia_placement_add_generation name folder prefix sections registry_options options inputs)
    set(stamp "${folder}/${prefix}.stamp")
    set(depfile "${folder}/${prefix}.d")
    set(sources "${folder}/${prefix}_arenas.c" "${folder}/${prefix}_constants.S")
    # Only files that every plan has. Blobs are reached through ${prefix}_constants.S, which holds their checksums.
    set(outputs ${sources} "${folder}/${prefix}_arenas.h" "${folder}/${prefix}_plan.json")
    set(sections_option)
    if(sections STREQUAL "native")
        set(sections_option --sections native)
    else()
        foreach(script memory sections checks insert full)
            list(APPEND outputs "${folder}/${prefix}_${script}.ld")
        endforeach()
    endif()
    file(MAKE_DIRECTORY "${folder}")

    add_custom_command(
        OUTPUT "${stamp}"
        BYPRODUCTS ${outputs}
        COMMAND "${HELIA_PLACEMENT_TOOL}" ${registry_options} generate ${options} --prefix "${prefix}" -d "${folder}"
                --depfile "${depfile}" --depfile-target "${stamp}" ${sections_option}
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS "${HELIA_PLACEMENT_TOOL}" ${inputs}
        DEPFILE "${depfile}"
        COMMENT "Placing ${name}"
        VERBATIM)
    set_source_files_properties(${outputs} PROPERTIES GENERATED TRUE)
    set(library helia_placement_${name})
    add_custom_target(${library}_generate DEPENDS "${stamp}")

    # An INTERFACE library: its sources are compiled with the executable's own flags, which are the chip's.
    add_library(${library} INTERFACE)
    add_library(HeliaPlacement::${name} ALIAS ${library})
    add_dependencies(${library} ${library}_generate)
    target_sources(${library} INTERFACE ${sources})
    target_include_directories(${library} INTERFACE "${folder}")
    target_link_options(${library} INTERFACE "-L${folder}")
    set_target_properties(${library} PROPERTIES
                          HELIA_PLACEMENT_FOLDER "${folder}"
                          HELIA_PLACEMENT_PREFIX "${prefix}"
                          HELIA_PLACEMENT_OUTPUTS "${outputs}"
                          HELIA_PLACEMENT_REGISTRY "${registry_options}"
                          HELIA_PLACEMENT_OPTIONS "${options}"
                          HELIA_PLACEMENT_INPUTS "${inputs}")
endfunction()

# Properties of a placement; those that were never set are empty.
macro(_helia_placement_read_properties name)
    foreach(pair "folder:FOLDER" "prefix:PREFIX" "outputs:OUTPUTS" "registry_options:REGISTRY" "options:OPTIONS" "inputs:INPUTS")
        string(REPLACE ":" ";" pair "${pair}")
        list(GET pair 0 variable)
        list(GET pair 1 property)
        get_target_property(${variable} helia_placement_${name} HELIA_PLACEMENT_${property})
        if(NOT ${variable})
            set(${variable})
        endif()
    endforeach()
endmacro()

# Reads a linker script and everything it INCLUDEs; comments are dropped. Names are looked up where the linker will be told to look.
function(_helia_placement_read_script script folders depth text_result files_result)
    if(depth GREATER 10)
        message(FATAL_ERROR "${script}: INCLUDE is nested more than 10 deep")
    endif()
    file(READ "${script}" text)
    string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" " " text "${text}")
    set(files "${script}")
    string(REGEX MATCHALL "INCLUDE[ \t\r\n]+(\"[^\"]+\"|[^ \t\r\n;\"]+)" statements "${text}")
    foreach(statement IN LISTS statements)
        string(REGEX REPLACE "^INCLUDE[ \t\r\n]+\"?([^\"]+)\"?$" "\\1" name "${statement}")
        unset(found)
        foreach(folder IN LISTS folders)
            if(EXISTS "${folder}/${name}" AND NOT IS_DIRECTORY "${folder}/${name}")
                set(found "${folder}/${name}")
                break()
            endif()
        endforeach()
        if(DEFINED found)
            math(EXPR deeper "${depth} + 1")
            _helia_placement_read_script("${found}" "${folders}" ${deeper} nested_text nested_files)
            string(REPLACE "${statement}" "${nested_text}" text "${text}")
            list(APPEND files ${nested_files})
        endif()
    endforeach()
    set(${text_result} "${text}" PARENT_SCOPE)
    set(${files_result} "${files}" PARENT_SCOPE)
endfunction()

# Position of an INCLUDE of the generated script `name` in `text`, or -1.
function(_helia_placement_find_include text name result)
    string(REPLACE "." "\\." pattern "${name}")
    set(position -1)
    if(text MATCHES "INCLUDE[ \t\r\n]+\"?${pattern}\"?([ \t\r\n;}]|$)")
        string(FIND "${text}" "${CMAKE_MATCH_0}" position)
    endif()
    set(${result} ${position} PARENT_SCOPE)
endfunction()

# Position of the first wildcard that would take our input sections away, or -1. KEEP(*(.vectors)) and the like are harmless.
function(_helia_placement_find_wildcard text result)
    set(position -1)
    if(text MATCHES "\\*[ \t]*\\([^()]*\\.(text|rodata|data|bss)[^()]*\\)")
        string(FIND "${text}" "${CMAKE_MATCH_0}" position)
    endif()
    set(${result} ${position} PARENT_SCOPE)
endfunction()

# All linker options of the executable that can be read now, the scripts passed by this file left out: words in `result`. Generator
# expressions stay as they are.
function(_helia_placement_read_link_words executable result)
    set(flags "${CMAKE_EXE_LINKER_FLAGS}")
    string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
    if(configuration)
        string(APPEND flags " ${CMAKE_EXE_LINKER_FLAGS_${configuration}}")
    endif()
    set(options "SHELL:${flags}")
    foreach(property LINK_OPTIONS LINK_FLAGS)
        get_target_property(more ${executable} ${property})
        if(more AND property STREQUAL "LINK_FLAGS")
            list(APPEND options "SHELL:${more}")
        elseif(more)
            list(APPEND options ${more})
        endif()
    endforeach()

    # What it links, and what that links in turn; options may stand among the libraries.
    set(seen)
    get_target_property(libraries ${executable} LINK_LIBRARIES)
    while(NOT "${libraries}" STREQUAL "")
        list(POP_FRONT libraries library)
        string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
        if(library MATCHES "^-")
            list(APPEND options "SHELL:${library}")
        elseif(TARGET "${library}" AND NOT library IN_LIST seen)
            list(APPEND seen "${library}")
            foreach(property INTERFACE_LINK_OPTIONS INTERFACE_LINK_LIBRARIES)
                get_target_property(more "${library}" ${property})
                if(more AND property STREQUAL "INTERFACE_LINK_OPTIONS")
                    list(APPEND options ${more})
                elseif(more)
                    list(APPEND libraries ${more})
                endif()
            endforeach()
        endif()
    endwhile()

    foreach(property HELIA_PLACEMENT_SCRIPTS HELIA_PLACEMENT_INSERTS)
        get_target_property(own ${executable} ${property})
        if(own)
            list(REMOVE_ITEM options ${own})
        endif()
    endforeach()
    set(words)
    foreach(option IN LISTS options)
        if(option MATCHES "^(LINKER:)?SHELL:(.*)$")
            separate_arguments(option UNIX_COMMAND "${CMAKE_MATCH_2}")
        endif()
        foreach(word IN LISTS option)
            if(word MATCHES "^(LINKER:|-Wl,)(.*)$")
                string(REPLACE "," ";" word "${CMAKE_MATCH_2}")
            endif()
            if(NOT word STREQUAL "-Xlinker")
                list(APPEND words ${word})
            endif()
        endforeach()
    endforeach()
    set(${result} "${words}" PARENT_SCOPE)
endfunction()

# The linker scripts that `words` name with -T or --script. A script of INSERT commands only adds to another one: left out.
function(_helia_placement_find_scripts words result)
    set(scripts)
    set(follows FALSE)
    foreach(word IN LISTS words)
        set(script)
        if(follows)
            set(script "${word}")
            set(follows FALSE)
        elseif(word MATCHES "^(-T|--?script)$")
            set(follows TRUE)
        elseif(word MATCHES "^-T(text|data|bss|(text|rodata|ldata)-segment)($|=)")
            # An address.
        elseif(word MATCHES "^(-T|--?script=)(.+)$")
            set(script "${CMAKE_MATCH_2}")
        endif()
        if(IS_ABSOLUTE "${script}" AND EXISTS "${script}" AND NOT IS_DIRECTORY "${script}")
            file(STRINGS "${script}" inserts REGEX "(^|[ \t}])INSERT[ \t]+(AFTER|BEFORE)")
            if(inserts)
                set(script)
            endif()
        endif()
        if(script)
            list(APPEND scripts "${script}")
        endif()
    endforeach()
    set(${result} "${scripts}" PARENT_SCOPE)
endfunction()

# Two scripts at once would give an image laid out by both.
function(_helia_placement_refuse_second_script executable)
    get_target_property(own ${executable} HELIA_PLACEMENT_SCRIPTS)
    list(REMOVE_DUPLICATES own)
    list(TRANSFORM own REPLACE "^(LINKER:-T,|-T)" "")
    list(LENGTH own own_count)
    if(own_count GREATER 1)
        list(JOIN own "\n    " own)
        message(FATAL_ERROR "helia_placement_link(${executable} ...): its calls name different linker scripts, and the linker would "
                            "take all:\n    ${own}\nGive every call the same BASE_SCRIPT, with METHOD INCLUDE.")
    endif()
    _helia_placement_read_link_words(${executable} words)
    _helia_placement_find_scripts("${words}" foreign)
    if(foreign)
        list(JOIN foreign "\n    " foreign)
        message(FATAL_ERROR "helia_placement_link(${executable} ...): it passes the linker script\n    ${own}\nbut the link options of "
                            "${executable}, CMAKE_EXE_LINKER_FLAGS or a library it links pass another with -T, and the linker would "
                            "take both:\n    ${foreign}\nTake that -T out (and name the script as BASE_SCRIPT if it is to stay), or use "
                            "METHOD NATIVE without BASE_SCRIPT, which needs no script of its own.")
    endif()
endfunction()

# Passes the script that lays out the whole image. Options and libraries may be added after this call: looked at when the folder ends.
function(_helia_placement_pass_script executable option)
    target_link_options(${executable} PRIVATE "${option}")
    get_target_property(own ${executable} HELIA_PLACEMENT_SCRIPTS)
    if(NOT own)
        cmake_language(EVAL CODE "cmake_language(DEFER CALL _helia_placement_refuse_second_script [[${executable}]])")
    endif()
    set_property(TARGET ${executable} APPEND PROPERTY HELIA_PLACEMENT_SCRIPTS "${option}")
endfunction()

# Refuses a base script that declares not one of the names which the generated script sends its sections to, as region or alias. Only
# where all can be seen now: the chip is named to the call, and the script includes nothing that is generated or found by the linker.
function(_helia_placement_refuse_strange_regions script text registry_options options)
    list(FIND options "--soc" at)
    string(REGEX MATCHALL "INCLUDE[ \t\r\n]+[^ \t\r\n;]+" includes "${text}")
    list(FILTER includes EXCLUDE REGEX "_(sections|checks)\\.ld\"?$")
    if(at EQUAL -1 OR includes)
        return()
    endif()
    math(EXPR at "${at} + 1")
    list(GET options ${at} soc)
    execute_process(COMMAND "${HELIA_PLACEMENT_TOOL}" ${registry_options} soc show "${soc}" --format json
                    OUTPUT_VARIABLE shown ERROR_QUIET RESULT_VARIABLE code)
    string(REGEX MATCHALL "\"linker_name\": \"[A-Za-z0-9_.]+\"" names "${shown}")
    if(NOT code EQUAL 0 OR NOT names)
        return() # The build says what is wrong with the chip.
    endif()
    list(TRANSFORM names REPLACE "^.*\"([^\"]+)\"$" "\\1")
    list(REMOVE_DUPLICATES names)
    foreach(name IN LISTS names)
        string(REPLACE "." "\\." pattern "${name}")
        if(text MATCHES "(^|[^A-Za-z0-9_.])${pattern}([^A-Za-z0-9_.]|$)")
            return()
        endif()
    endforeach()
    list(GET names 0 name)
    list(JOIN names ", " names)
    message(FATAL_ERROR "${script}: its MEMORY has none of the regions of ${soc}: ${names}. Name its regions so, or put behind MEMORY "
                        "an alias for each, with your own name in the second place:\n    REGION_ALIAS(\"${name}\", FLASH)\n"
                        "`helia-placement soc show ${soc}` lists what each must be.")
endfunction()

function(_helia_placement_link_include executable folder prefix script registry_options options)
    get_filename_component(script_folder "${script}" DIRECTORY)
    get_target_property(link_folders ${executable} LINK_DIRECTORIES)
    if(NOT link_folders)
        set(link_folders)
    endif()
    _helia_placement_read_script("${script}" "${script_folder};${link_folders}" 0 text files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

    set(sections "${prefix}_sections.ld")
    _helia_placement_find_include("${text}" "${sections}" included_at)
    _helia_placement_find_wildcard("${text}" wildcard_at)
    if(included_at EQUAL -1)
        message(FATAL_ERROR "${script}: METHOD INCLUDE needs this line inside SECTIONS, after the vector table and before the first "
                            "wildcard such as *(.text*):\n    INCLUDE ${sections}\n"
                            "(METHOD FULL needs no base script.)")
    endif()
    if(NOT wildcard_at EQUAL -1 AND wildcard_at LESS included_at)
        message(FATAL_ERROR "${script}: `INCLUDE ${sections}` comes after a wildcard that takes the same input sections, so nothing "
                            "would be left for it. Move this line before the first *(.text*), *(.rodata*), *(.data*) or *(.bss*):\n"
                            "    INCLUDE ${sections}")
    endif()

    _helia_placement_refuse_strange_regions("${script}" "${text}" "${registry_options}" "${options}")

    # -T through the driver's -Wl: it keeps its place before the inputs, where LLD must have seen MEMORY before the checks.
    _helia_placement_pass_script(${executable} "LINKER:-T,${script}")
    target_link_options(${executable} PRIVATE "-L${script_folder}")
    set(generated "${folder}/${sections}" "${folder}/${prefix}_checks.ld")
    _helia_placement_find_include("${text}" "${prefix}_memory.ld" memory_at)
    if(NOT memory_at EQUAL -1)
        list(APPEND generated "${folder}/${prefix}_memory.ld")
    endif()
    _helia_placement_find_include("${text}" "${prefix}_checks.ld" checks_at)
    if(checks_at EQUAL -1)
        set_property(TARGET ${executable} APPEND PROPERTY LINK_LIBRARIES "${folder}/${prefix}_checks.ld")
    endif()
    set_property(TARGET ${executable} APPEND PROPERTY LINK_DEPENDS ${files} ${generated})
endfunction()

# Once for every placement, however many executables ask for it.
function(_helia_placement_generate_native name)
    if(TARGET helia_placement_${name}_native)
        return()
    endif()
    _helia_placement_read_properties(${name})
    _helia_placement_add_generation(${name}_native "${folder}/native" "${prefix}" native "${registry_options}" "${options}" "${inputs}")
endfunction()

# A script that is passed as it is.
function(_helia_placement_link_base executable script)
    get_filename_component(script_folder "${script}" DIRECTORY)
    _helia_placement_read_script("${script}" "${script_folder}" 0 text files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    _helia_placement_pass_script(${executable} "LINKER:-T,${script}")
    target_link_options(${executable} PRIVATE "-L${script_folder}")
    set_property(TARGET ${executable} APPEND PROPERTY LINK_DEPENDS ${files})
endfunction()

function(_helia_placement_link_insert executable folder prefix script)
    get_filename_component(script_folder "${script}" DIRECTORY)
    _helia_placement_read_script("${script}" "${script_folder}" 0 text files)
    _helia_placement_find_include("${text}" "${prefix}_sections.ld" included_at)
    if(NOT included_at EQUAL -1)
        message(FATAL_ERROR "${script}: it includes ${prefix}_sections.ld, which METHOD INSERT would link a second time; use METHOD "
                            "INCLUDE")
    endif()
    # Before the base script, whose wildcards would take everything otherwise.
    set(option "LINKER:-T,${folder}/${prefix}_insert.ld")
    target_link_options(${executable} PRIVATE "${option}")
    set_property(TARGET ${executable} APPEND PROPERTY HELIA_PLACEMENT_INSERTS "${option}")
    _helia_placement_link_base(${executable} "${script}")
    set_property(TARGET ${executable} APPEND PROPERTY LINK_LIBRARIES "${folder}/${prefix}_checks.ld")
    set_property(TARGET ${executable} APPEND PROPERTY LINK_DEPENDS "${folder}/${prefix}_insert.ld" "${folder}/${prefix}_checks.ld")
endfunction()

function(_helia_placement_link_full executable folder prefix)
    _helia_placement_pass_script(${executable} "-T${folder}/${prefix}_full.ld")
    set_property(TARGET ${executable} APPEND PROPERTY LINK_DEPENDS "${folder}/${prefix}_full.ld")
endfunction()

# GNU's and Clang's drivers take the chip from -mcpu and friends. Where a toolchain file gives them to C only, the assembler would
# fall back to its default chip, whose objects do not link with the others.
function(_helia_placement_match_assembler_flags executable source)
    set(machine_pattern "-m(cpu|arch|fpu|float-abi|abi)=[^ ]+|-mthumb|--target=[^ ]+")
    if("${CMAKE_ASM_FLAGS}" MATCHES "-m(cpu|arch)=|--target=" OR NOT "${CMAKE_C_FLAGS}" MATCHES "-m(cpu|arch)=|--target=")
        return()
    endif()
    string(REGEX MATCHALL "${machine_pattern}" flags "${CMAKE_C_FLAGS}")
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${executable} PROPERTY COMPILE_OPTIONS ${flags})
endfunction()

function(_helia_placement_add_gate executable name kind plan registry_options)
    set(check "${HELIA_PLACEMENT_TOOL}" ${registry_options} check "$<TARGET_FILE:${executable}>" --plan "${plan}")
    if(kind STREQUAL "POST_BUILD")
        add_custom_command(TARGET ${executable} POST_BUILD COMMAND ${check} COMMENT "Checking the placement of ${executable}" VERBATIM)
    elseif(kind STREQUAL "TARGET")
        add_custom_target(${executable}_${name}_check COMMAND ${check} COMMENT "Checking the placement of ${executable}" VERBATIM)
        add_dependencies(${executable}_${name}_check ${executable})
    endif()
    if(CMAKE_TESTING_ENABLED AND NOT kind STREQUAL "OFF")
        add_test(NAME ${executable}.${name}.placement COMMAND ${check})
    endif()
endfunction()

function(helia_placement_link executable name)
    cmake_parse_arguments(PARSE_ARGV 2 ARG "" "BASE_SCRIPT;METHOD;CHECK" "")
    set(call "helia_placement_link(${executable} ${name})")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "${call}: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT TARGET ${executable})
        message(FATAL_ERROR "${call}: there is no target ${executable}; say add_executable(${executable} ...) first")
    endif()
    if(NOT TARGET HeliaPlacement::${name})
        message(FATAL_ERROR "${call}: there is no placement ${name}; say helia_placement_generate(${name} ...) first")
    endif()
    get_target_property(home ${executable} SOURCE_DIR)
    if(NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR)
        message(FATAL_ERROR "${call}: ${executable} was created in ${home}; call it there")
    endif()

    if(NOT ARG_METHOD AND ARG_BASE_SCRIPT)
        set(ARG_METHOD INCLUDE)
    elseif(NOT ARG_METHOD)
        set(ARG_METHOD FULL)
    endif()
    if(NOT DEFINED ARG_CHECK)
        set(ARG_CHECK POST_BUILD)
    endif()
    if(NOT ARG_METHOD MATCHES "^(INCLUDE|INSERT|FULL|NATIVE)$")
        message(FATAL_ERROR "${call}: METHOD ${ARG_METHOD} is unknown; it is INCLUDE, INSERT, FULL or NATIVE")
    endif()
    if(NOT ARG_CHECK MATCHES "^(POST_BUILD|TARGET|OFF)$")
        message(FATAL_ERROR "${call}: CHECK ${ARG_CHECK} is unknown; it is POST_BUILD, TARGET or OFF")
    endif()
    if(ARG_METHOD MATCHES "^(INCLUDE|INSERT)$" AND NOT ARG_BASE_SCRIPT)
        message(FATAL_ERROR "${call}: METHOD ${ARG_METHOD} needs BASE_SCRIPT, the linker script that owns MEMORY and SECTIONS")
    endif()
    if(ARG_METHOD STREQUAL "FULL" AND ARG_BASE_SCRIPT)
        message(FATAL_ERROR "${call}: METHOD FULL replaces the base script; leave out BASE_SCRIPT, or use METHOD INCLUDE")
    endif()

    set(placement ${name})
    if(ARG_METHOD STREQUAL "NATIVE")
        _helia_placement_generate_native(${name})
        set(placement ${name}_native)
    endif()
    _helia_placement_read_properties(${placement})

    # By property: a project may use either signature of target_link_libraries, which CMake does not let us mix.
    set_property(TARGET ${executable} APPEND PROPERTY LINK_LIBRARIES HeliaPlacement::${placement})
    add_dependencies(${executable} helia_placement_${placement}_generate)
    set_source_files_properties(${outputs} TARGET_DIRECTORY ${executable} PROPERTIES GENERATED TRUE)
    _helia_placement_match_assembler_flags(${executable} "${folder}/${prefix}_constants.S")

    if(ARG_BASE_SCRIPT)
        _helia_placement_absolute(ARG_BASE_SCRIPT "${ARG_BASE_SCRIPT}")
        if(NOT EXISTS "${ARG_BASE_SCRIPT}")
            message(FATAL_ERROR "${call}: there is no base script ${ARG_BASE_SCRIPT}")
        endif()
    endif()
    if(ARG_METHOD STREQUAL "INCLUDE")
        _helia_placement_link_include(${executable} "${folder}" "${prefix}" "${ARG_BASE_SCRIPT}" "${registry_options}" "${options}")
    elseif(ARG_METHOD STREQUAL "INSERT")
        _helia_placement_link_insert(${executable} "${folder}" "${prefix}" "${ARG_BASE_SCRIPT}")
    elseif(ARG_METHOD STREQUAL "FULL")
        _helia_placement_link_full(${executable} "${folder}" "${prefix}")
    elseif(ARG_BASE_SCRIPT)
        _helia_placement_link_base(${executable} "${ARG_BASE_SCRIPT}")
    endif()
    _helia_placement_add_gate(${executable} ${name} ${ARG_CHECK} "${folder}/${prefix}_plan.json" "${registry_options}")
endfunction()

cmake_policy(POP)
