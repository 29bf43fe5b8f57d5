# SPDX-License-Identifier: (Apache-2.0 OR MIT)
"""rmashm for Spack. docs/recipes.md says how to use it."""

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.generic import Package
except ImportError:
    pass  # before Spack 1.0 it is one of the names above


class Rmashm(Package):
    """An MPI library for one machine, whose heart is one-sided communication through shared memory. It has the binary interfaces of
    MPICH, of Open MPI, and the standard's own."""

    # `make dist` makes the tarball: put it into the folder where spack is called, or into a mirror.
    manual_download = True

    license("Apache-2.0 OR MIT")

    version("0.2.0")

    variant("fortran", default=True, description="Fortran's modules, made by the compiler")

    provides("mpi@:5.0")

    depends_on("c", type=("build", "run"))
    depends_on("cxx", type=("build", "run"))
    depends_on("fortran", type=("build", "run"), when="+fortran")
    depends_on("rust@1.89:", type="build")
    depends_on("gmake", type="build")
    depends_on("binutils", type="build")

    requires("platform=linux", msg="rmashm runs on Linux")
    requires("target=x86_64:", msg="rmashm runs on x86-64")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/rmashm-{version}.tar.xz"

    def setup_run_environment(self, env):
        env.set("MPICC", self.prefix.bin.mpicc)
        env.set("MPICXX", self.prefix.bin.mpicxx)
        if self.spec.satisfies("+fortran"):
            env.set("MPIF77", self.prefix.bin.mpif77)
            env.set("MPIF90", self.prefix.bin.mpif90)

    def setup_dependent_build_environment(self, env, dependent_spec):
        # The wrappers compile with what the dependent package is compiled with.
        module = dependent_spec.package.module
        env.set("MPICH_CC", module.spack_cc)
        env.set("MPICH_CXX", module.spack_cxx)
        env.set("MPICH_FC", module.spack_fc)
        env.set("MPICH_F77", module.spack_f77)
        env.set("MPICH_F90", module.spack_fc)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = self.prefix.bin.mpicc
        self.spec.mpicxx = self.prefix.bin.mpicxx
        if self.spec.satisfies("+fortran"):
            self.spec.mpif77 = self.prefix.bin.mpif77
            self.spec.mpifc = self.prefix.bin.mpif90

    def install(self, spec, prefix):
        make()
        make("install", f"PREFIX={prefix}")

    @run_after("install")
    def check_install(self):
        mpiexec = Executable(self.prefix.bin.mpiexec)
        mpiexec("-n", "2", "true")
