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

# TS_MPI(PACKAGE): sets MPI_CFLAGS and MPI_LIBS, by pkg-config (yes: the first that is there), or by what mpicc would call.
AC_DEFUN([TS_MPI], [
  ts_mpi=no
  for ts_package in $(test "$1" = yes && echo mpi-c ompi-c mpich || echo "$1"); do
    AS_IF([test "$ts_mpi" = no && $PKG_CONFIG --exists "$ts_package"],
      [ts_mpi=yes; MPI_CFLAGS=$($PKG_CONFIG --cflags "$ts_package"); MPI_LIBS=$($PKG_CONFIG --libs "$ts_package")])
  done
  AC_CHECK_PROGS([MPICC], [mpicc])
  AS_IF([test "$ts_mpi" = no && test "$1" = yes && test -n "$MPICC"], [
    ts_mpi=yes; MPI_CFLAGS=; MPI_LIBS=
    for ts_word in $($MPICC -show); do
      AS_CASE([$ts_word], [-I*|-D*|-pthread], [MPI_CFLAGS="$MPI_CFLAGS $ts_word"], [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $ts_word"])
    done
  ])
  AS_IF([test "$ts_mpi" = no], [TS_MISSING([MPI], [libopenmpi-dev])])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
])

# TS_STOP_IF_MISSING: everything that is missing in one message, with the command that mends it.
AC_DEFUN([TS_STOP_IF_MISSING], [
  AS_IF([test -n "$ts_packages"], [AC_MSG_ERROR([these are missing:
$ts_missing

On Debian or Ubuntu:
  apt-get install$ts_packages
then run ./configure again.])])
])

# TS_TRY_FLAGS(VARIABLE, FLAGS, [PREFIX]): adds FLAGS to VARIABLE if a program compiles and links with them, without a warning.
# PREFIX: other flags that only this check needs.
AC_DEFUN([TS_TRY_FLAGS], [
  AC_MSG_CHECKING([whether $CC takes $2])
  ts_saved_CFLAGS=$CFLAGS; CFLAGS="$CFLAGS -Werror $3 $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]], [[char text[8]; return snprintf(text, sizeof text, "%d", 1) < 0;]])],
    [AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
  CFLAGS=$ts_saved_CFLAGS
])

# TS_HARDENING: what makes a slip in the readers of foreign files hard to use, where compiler and linker have it. Sets TS_HARDENING_CFLAGS,
# and TS_HARDENING_LDFLAGS for all that is linked, TS_PIE_LDFLAGS for programs.
AC_DEFUN([TS_HARDENING], [
  TS_TRY_FLAGS([TS_HARDENING_CFLAGS], [-fstack-protector-strong])
  # glibc's checked functions need an optimising compiler, and their copies of functions hide errors from the sanitizers.
  AS_IF([test "$sanitizers" = no && test "$enable_fuzzing" != yes], [
    ts_fortify=$TS_HARDENING_CFLAGS
    TS_TRY_FLAGS([TS_HARDENING_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3])
    AS_IF([test "$ts_fortify" = "$TS_HARDENING_CFLAGS"], [TS_TRY_FLAGS([TS_HARDENING_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2])])
  ])
  TS_TRY_FLAGS([TS_HARDENING_LDFLAGS], [-Wl,-z,relro])
  TS_TRY_FLAGS([TS_HARDENING_LDFLAGS], [-Wl,-z,now])
  TS_TRY_FLAGS([TS_PIE_LDFLAGS], [-pie], [-fPIE])
  # One object serves programs and library.
  AS_IF([test "${enable_shared:-yes}" != no], [TS_HARDENING_CFLAGS="$TS_HARDENING_CFLAGS -fPIC"],
    [test -n "$TS_PIE_LDFLAGS"], [TS_HARDENING_CFLAGS="$TS_HARDENING_CFLAGS -fPIE"])
])

# TS_64_BIT: an IR is mapped as it lies in its file, with 64-bit offsets, and sizes of real plans do not fit in 32 bits.
AC_DEFUN([TS_64_BIT], [
  AC_MSG_CHECKING([whether $CC $CFLAGS builds for a 64-bit machine])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [[static int wide[sizeof(void *) >= 8 ? 1 : -1]; (void)wide;]])],
    [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])
    AC_MSG_ERROR([TrainSpec needs a 64-bit machine: an IR is mapped into memory with 64-bit offsets. Configure with a compiler for one, without -m32.])])
])
