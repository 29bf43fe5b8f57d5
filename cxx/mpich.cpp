// What only programs ask for that were compiled with MPICH's header: functions of its own that its inline ones call, and one that the
// standard has otherwise.

#include <mpi.h>

namespace MPI {

// Called with the code of each call that failed and has no object.
void MPIR_Call_world_errhand(int errorcode) { internal::check(errorcode); }

}

// Grequest::Start as a function of an object.
extern "C" MPI::Grequest rmashm_start_grequest(MPI::Grequest* self, MPI::Grequest::Query_function* query,
    MPI::Grequest::Free_function* free, MPI::Grequest::Cancel_function* cancel, void* extra_state)
    __asm__("_ZN3MPI8Grequest5StartEPFiPvRNS_6StatusEEPFiS1_EPFiS1_bES1_");

extern "C" MPI::Grequest rmashm_start_grequest(MPI::Grequest* self, MPI::Grequest::Query_function* query,
    MPI::Grequest::Free_function* free, MPI::Grequest::Cancel_function* cancel, void* extra_state)
{
    *self = MPI::Grequest::Start(query, free, cancel, extra_state);
    return *self;
}
