# tofu_embed(<target> <namespace> <file> <name>)
#
# Makes the text of a file a `const std::string_view <name>` of the program, which a header
# of the component declares.
function(tofu_embed target namespace file name)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set(made "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc")
  add_custom_command(
    OUTPUT "${made}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" "-DMADE=${made}" "-DNAMESPACE=${namespace}"
            "-DNAME=${name}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
    DEPENDS "${source}" "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${made}")
endfunction()
