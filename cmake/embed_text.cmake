# Writes MADE, a source with the text of SOURCE as NAMESPACE::NAME.
file(READ "${SOURCE}" text)
file(WRITE "${MADE}" "#include <string_view>

namespace ${NAMESPACE} {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"embedded(${text})embedded\";
}
")
