# Finds the doors that SECURITY.md lists: what starts a program, loads code, opens a database, opens a file by its name, or puts text of others into a page
# as it is. Prints "DOOR FILE" once for each. What a line says behind its comment sign does not count.
FNR == 1 {
  language = FILENAME ~ /\.(c|h|l|y|def)$/ ? "c" : FILENAME ~ /\.py$/ ? "python" : FILENAME ~ /\.(m?js|html|ts)$/ ? "script" : "shell"
  if (language == "shell") found("program") # all that a shell does
}
function found(door) { if (!((door, FILENAME) in seen)) print door, FILENAME; seen[door, FILENAME] = 1 }
/^ *(\/\/|\/?\*|#)/ { next }
{ line = " " $0 }
language == "c" {
  if (line ~ /[^a-z_0-9](popen|system|v?fork|exec[lv][pe]*|execveat|posix_spawnp?|clone)\(/) found("program")
  if (line ~ /[^a-z_0-9]dlm?open\(/) found("code")
  if (line ~ /[^a-z_0-9]sqlite3_(open|open16|open_v2|deserialize|load_extension|enable_load_extension)\(/) found("database")
  if (line ~ /[^a-z_0-9](fopen|freopen|openat|opendir|scandir|nftw|gzopen|realpath|creat)\(|[^a-z_0-9]open\(.*O_|SYS_openat2?/ ||
      line ~ /[^a-z_0-9]ts_(read_file|read_beneath|check_beneath)\([a-z0-9>.-]*(arena|path|root)/) found("file")
}
language == "python" {
  if (line ~ /[^a-z_0-9.](subprocess\.|Popen)|os\.(system|popen|fork|exec|spawn|posix_spawn)/) found("program")
  if (line ~ /CDLL|pickle\.(load|Unpickler)|marshal\.load|runpy\.|torch\.load\(|spec_from_file_location|__import__\(|[^a-z_0-9.](eval|exec)\(/) found("code")
  if (line ~ /sqlite3/) found("database")
  if (line ~ /_repr_html_|srcdoc/) found("page")
}
language == "script" {
  if (line ~ /child_process|[^a-zA-Z](execFile|execSync|spawn|spawnSync)\(/) found("program")
  if (line ~ /[^a-zA-Z_.](eval|importScripts)\(|new (Function|Worker)\(|WebAssembly\.(compile|instantiate)/) found("code")
  if (line ~ /(inner|outer)HTML|insertAdjacentHTML|document\.write|srcdoc|webview\.html/) found("page")
}
