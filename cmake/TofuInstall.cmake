# What `cmake --install` puts on a system: the program, its manual pages, completions for shells,
# and the licenses of what is in the program.

set(CMAKE_INSTALL_DOCDIR "share/doc/tofu-cpp" CACHE STRING "Where documents and licenses go")
include(GNUInstallDirs)

function(tofu_install program)
  install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

  set(completions "${CMAKE_SOURCE_DIR}/packaging/completions")
  install(FILES "${completions}/tofu.bash"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME tofu)
  install(FILES "${completions}/tofu.zsh"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _tofu)
  install(FILES "${completions}/tofu.fish"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

  install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  if(TOFU_COPYRIGHTS)
    install(DIRECTORY "${TOFU_COPYRIGHTS}/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses")
  endif()

  # The program writes its own pages, if this machine can run it.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(pages "${CMAKE_BINARY_DIR}/man1")
    add_custom_command(
      OUTPUT "${CMAKE_BINARY_DIR}/man1.made"
      COMMAND "${CMAKE_COMMAND}" -E rm -rf "${pages}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${pages}"
      COMMAND "${CMAKE_COMMAND}" -E env --unset=TF_CLI_CONFIG_FILE --unset=TF_LOG
              ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:${program}>" metadata man "${pages}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${CMAKE_BINARY_DIR}/man1.made"
      DEPENDS ${program}
      COMMENT "Writing the manual pages"
      VERBATIM)
    add_custom_target(${program}_man ALL DEPENDS "${CMAKE_BINARY_DIR}/man1.made")
    install(DIRECTORY "${pages}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  endif()
endfunction()
