# Memory placement in a Makefile.
#
#     HP_PREFIX := kws
#     HP_CONFIG := placement.yaml
#     include $(shell helia-placement --make-include)
#     app.elf: $(OBJS) $(HP_OBJS) $(HP_LDSCRIPTS)
#     	$(CC) $(LDFLAGS) $(HP_LDFLAGS) -o $@ $(OBJS) $(HP_OBJS)
#     	$(HP_CHECK) $@
#
# Set before the include (all but the first two are optional):
#     HP_PREFIX       prefix of all generated names; a C identifier
#     HP_CONFIG       the config file
#     HP_MODEL HP_SOC HP_BOARD HP_PROFILE   override the same keys of the config
#     HP_FLAGS        more options of `helia-placement generate`, for example --set memory.planner=greedy
#     HP_REGISTRY     folders with registry files of the project
#     HP_METHOD       FULL: the generated script alone. INCLUDE: a script of the project's own, which INCLUDEs $(HP_PREFIX)_sections.ld.
#                     INSERT: a script of the project's own, as it is; the sections are put into it. NATIVE: the script that the
#                     chip's SDK has, as it is; what is placed goes into the sections that it collects.
#                     Default: INCLUDE if HP_BASE_SCRIPT is set or LDFLAGS has -T<script>, else FULL.
#     HP_BASE_SCRIPT  the project's own script; default: the one that LDFLAGS names with -T<script>
#     HP_DIR          folder of the generated files; default: helia-placement/$(HP_PREFIX)
#     HP_TOOL         the tool; default: helia-placement
#
# Set by the include:
#     HP_CPPFLAGS     include folder; $(OBJS), if set before the include, and the objects below get it by themselves
#     HP_OBJS         objects of the placement; they need $(CC) and $(CFLAGS) with the chip's options
#     HP_HEADERS      the generated header; $(OBJS), if set before the include, are made to depend on it
#     HP_PLAN         the plan JSON
#     HP_LDSCRIPTS    linker scripts to depend on
#     HP_LDFLAGS      options for the link
#     HP_CHECK        the gate: $(HP_CHECK) app.elf fails unless the image is what was planned
#
# Include it again with another HP_PREFIX for a second model; keep what the first one set before that.

ifeq ($(strip $(HP_PREFIX)),)
$(error helia-placement: set HP_PREFIX before the include)
endif
ifeq ($(strip $(HP_CONFIG)$(HP_MODEL)),)
$(error helia-placement: set HP_CONFIG (or HP_MODEL) before the include)
endif

HP_TOOL ?= helia-placement
hp_comma := ,
hp_dir := $(or $(HP_DIR),helia-placement/$(HP_PREFIX))
hp_file := $(hp_dir)/$(HP_PREFIX)
hp_base := $(or $(HP_BASE_SCRIPT),$(firstword $(patsubst -T%,%,$(filter -T%,$(LDFLAGS)))))
hp_method := $(or $(HP_METHOD),$(if $(hp_base),INCLUDE,FULL))
# Name of the base script if it INCLUDEs the generated script $1, else nothing.
hp_included = $(if $(hp_base),$(shell grep -l 'INCLUDE[[:space:]"]*$(HP_PREFIX)_$1\.ld' $(hp_base)))

ifeq ($(filter FULL INCLUDE INSERT NATIVE,$(hp_method)),)
$(error helia-placement: HP_METHOD $(hp_method) is unknown; it is INCLUDE, INSERT, FULL or NATIVE)
endif

HP_CPPFLAGS := -I$(hp_dir)
HP_OBJS := $(hp_file)_arenas.o $(hp_file)_constants.o
HP_HEADERS := $(hp_file)_arenas.h
HP_PLAN := $(hp_file)_plan.json
HP_LDFLAGS := -L$(hp_dir)

# A base script that LDFLAGS names is passed already.
hp_base_option := $(if $(filter -T$(hp_base),$(LDFLAGS)),,$(addprefix -Wl$(hp_comma)-T$(hp_comma),$(hp_base)))

ifeq ($(hp_method),FULL)
HP_LDSCRIPTS := $(hp_file)_full.ld
HP_LDFLAGS += -T$(hp_file)_full.ld
else ifeq ($(hp_method),NATIVE)
HP_LDSCRIPTS := $(hp_base)
HP_LDFLAGS += $(hp_base_option)
else ifeq ($(hp_method),INSERT)
ifeq ($(hp_base),)
$(error helia-placement: HP_METHOD INSERT needs HP_BASE_SCRIPT, the linker script that the sections are put into)
endif
ifneq ($(call hp_included,sections),)
$(error helia-placement: $(hp_base) includes $(HP_PREFIX)_sections.ld, which HP_METHOD INSERT would link a second time; use INCLUDE)
endif
HP_LDSCRIPTS := $(hp_base) $(hp_file)_insert.ld $(hp_file)_checks.ld
# This way the driver passes it before every -T, in whatever order they stand.
HP_LDFLAGS += -Wl,-T,$(hp_file)_insert.ld $(hp_base_option) $(hp_file)_checks.ld
else
ifeq ($(if $(hp_base),$(call hp_included,sections),unknown),)
$(error helia-placement: $(hp_base) needs the line `INCLUDE $(HP_PREFIX)_sections.ld` in SECTIONS, before its first wildcard)
endif
HP_LDSCRIPTS := $(hp_base) $(foreach script,memory sections checks,$(hp_file)_$(script).ld)
# The checks follow the base script, unless it INCLUDEs them itself.
HP_LDFLAGS += $(hp_base_option)
HP_LDFLAGS += $(if $(call hp_included,checks),,$(hp_file)_checks.ld)
endif

hp_registry := $(addprefix --registry ,$(HP_REGISTRY))
HP_CHECK := $(HP_TOOL) $(hp_registry) check --plan $(HP_PLAN)
hp_command := $(strip $(HP_TOOL) $(hp_registry) generate $(addprefix --config ,$(HP_CONFIG)) $(addprefix --model ,$(HP_MODEL)) \
                      $(addprefix --soc ,$(HP_SOC)) $(addprefix --board ,$(HP_BOARD)) $(addprefix --profile ,$(HP_PROFILE)) \
                      --prefix $(HP_PREFIX) -d $(hp_dir) --depfile $(hp_file).d --depfile-target $(hp_file).stamp \
                      $(if $(filter NATIVE,$(hp_method)),--sections native) $(HP_FLAGS))
hp_tool_file := $(shell command -v $(HP_TOOL))

# Nothing here may become the default goal of the Makefile that includes it.
hp_goal := $(.DEFAULT_GOAL)

# The stamp is a makefile, so that Make brings it up to date before it looks at any other target: everything generated exists before
# the first object is compiled, also with -j. It remembers the command, so that a changed option counts as a changed input.
$(hp_file).stamp: hp_recipe := $(hp_command)
$(hp_file).stamp: hp_record := $(HP_PREFIX)
$(hp_file).stamp: $(HP_CONFIG) $(HP_MODEL) $(if $(filter 1,$(words $(hp_tool_file))),$(hp_tool_file))
	@mkdir -p $(@D)
	$(hp_recipe)
	@printf '%s\n' 'hp_planned_$(hp_record) := $(subst ','\'',$(hp_recipe))' >$@

ifeq ($(filter clean distclean mostlyclean,$(MAKECMDGOALS)),)
include $(hp_file).stamp
-include $(hp_file).d
ifeq ($(MAKE_RESTARTS),)
ifneq ($(hp_planned_$(HP_PREFIX)),$(hp_command))
$(hp_file).stamp: hp-options-changed
endif
endif
endif
.PHONY: hp-options-changed

# Files whose bytes did not change keep their time stamps: older than the stamp, and still nothing is rebuilt from them.
$(HP_HEADERS) $(hp_file)_arenas.c $(hp_file)_constants.S $(HP_PLAN): $(hp_file).stamp ;
$(foreach script,memory sections checks insert full,$(hp_file)_$(script).ld): $(hp_file).stamp ;

# The include folder is expanded now: another include of this file may follow, with another prefix.
ifneq ($(strip $(OBJS)),)
$(OBJS): $(HP_HEADERS)
$(eval $(OBJS): CPPFLAGS += -I$(hp_dir))
else
# OBJS that come later get nothing of this. Said for every rule that asks for the scripts, but not to a Makefile that
# passes the include folder itself.
hp_late = $(if $(MAKE_RESTARTS)$(filter $(HP_CPPFLAGS),$(CPPFLAGS) $(CFLAGS)),,$(filter-out $(HP_OBJS),$(OBJS)))
hp_ldscripts := $(HP_LDSCRIPTS)
HP_LDSCRIPTS = $(if $(hp_late),$(warning helia-placement: OBJS is set after the include, so its objects neither find nor depend on \
    $(HP_HEADERS); set OBJS before the include, or add $$(HP_CPPFLAGS) to CPPFLAGS))$(hp_ldscripts)
endif

$(HP_OBJS): hp_include := $(HP_CPPFLAGS)
$(hp_file)_arenas.o: $(hp_file)_arenas.c $(HP_HEADERS)
	$(CC) $(CPPFLAGS) $(hp_include) $(CFLAGS) -c -o $@ $<
$(hp_file)_constants.o: $(hp_file)_constants.S
	$(CC) $(CPPFLAGS) $(hp_include) $(CFLAGS) -c -o $@ $<

.DELETE_ON_ERROR:
.DEFAULT_GOAL := $(hp_goal)
