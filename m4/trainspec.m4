# TS_MISSING(WHAT, DEBIAN-PACKAGE): remembers something that the build cannot do without.
AC_DEFUN([TS_MISSING], [
  ts_missing="$ts_missing
  $1: Debian package $2"
  ts_packages="$ts_packages $2"
])

# TS_OPTIONAL_LIBRARY(VAR, PKG-CONFIG-NAME, DEBIAN-PACKAGE): sets VAR_CFLAGS, VAR_LIBS and have_VAR.
AC_DEFUN([TS_OPTIONAL_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [have_$1=yes], [have_$1=no])
])

# TS_LIBRARY(VAR, PKG-CONFIG-NAME, DEBIAN-PACKAGE): the same, but needed.
AC_DEFUN([TS_LIBRARY], [
  TS_OPTIONAL_LIBRARY([$1], [$2], [$3])
  AS_IF([test "$have_$1" = no], [TS_MISSING([$2], [$3])])
])

# TS_STOP_IF_MISSING: everything that is missing in one message, with the command that mends it.
AC_DEFUN([TS_STOP_IF_MISSING], [
  AS_IF([test -n "$ts_packages"], [AC_MSG_ERROR([these are missing:
$ts_missing

On Debian or Ubuntu:
  apt-get install$ts_packages
then run ./configure again.])])
])
