//! The names that persistent collective operations had in Open MPI before they were MPI's: other names of those.

#![cfg(feature = "openmpi")]

use std::arch::naked_asm;

/// Functions that are others. Each jumps to the one it stands for, whatever the arguments.
macro_rules! aliases {
    ($($name:ident = $meant:ident;)*) => {$(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $name() {
                naked_asm!(concat!("jmp ", stringify!($meant), "@PLT"))
            }

            #[unsafe(naked)]
            #[unsafe(export_name = concat!("P", stringify!($name)))]
            extern "C" fn profiled() {
                naked_asm!(concat!("jmp ", stringify!($meant), "@PLT"))
            }
        };
    )*};
}

aliases! {
    MPIX_Allgather_init = PMPI_Allgather_init;
    MPIX_Allgatherv_init = PMPI_Allgatherv_init;
    MPIX_Allreduce_init = PMPI_Allreduce_init;
    MPIX_Alltoall_init = PMPI_Alltoall_init;
    MPIX_Alltoallv_init = PMPI_Alltoallv_init;
    MPIX_Alltoallw_init = PMPI_Alltoallw_init;
    MPIX_Barrier_init = PMPI_Barrier_init;
    MPIX_Bcast_init = PMPI_Bcast_init;
    MPIX_Exscan_init = PMPI_Exscan_init;
    MPIX_Gather_init = PMPI_Gather_init;
    MPIX_Gatherv_init = PMPI_Gatherv_init;
    MPIX_Neighbor_allgather_init = PMPI_Neighbor_allgather_init;
    MPIX_Neighbor_allgatherv_init = PMPI_Neighbor_allgatherv_init;
    MPIX_Neighbor_alltoall_init = PMPI_Neighbor_alltoall_init;
    MPIX_Neighbor_alltoallv_init = PMPI_Neighbor_alltoallv_init;
    MPIX_Neighbor_alltoallw_init = PMPI_Neighbor_alltoallw_init;
    MPIX_Reduce_init = PMPI_Reduce_init;
    MPIX_Reduce_scatter_block_init = PMPI_Reduce_scatter_block_init;
    MPIX_Reduce_scatter_init = PMPI_Reduce_scatter_init;
    MPIX_Scan_init = PMPI_Scan_init;
    MPIX_Scatter_init = PMPI_Scatter_init;
    MPIX_Scatterv_init = PMPI_Scatterv_init;
}
