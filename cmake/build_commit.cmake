# Writes MADE, a source with the commit of SOURCE_DIR, if that is not what it says already.
# A COMMIT that is given is taken as it is; otherwise git is asked. Empty if unknown.
cmake_minimum_required(VERSION 3.25)

if(NOT COMMIT)
  execute_process(
    COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(COMMIT "")
  endif()
endif()
file(CONFIGURE OUTPUT "${MADE}" @ONLY CONTENT "#include \"cli/version_info.h\"

namespace tofu::cli {
const std::string_view kBuildCommit = \"${COMMIT}\";
}
")
