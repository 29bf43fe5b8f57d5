/* SEEK_SET, SEEK_CUR and SEEK_END as constants, and as macros that name them: `#ifdef SEEK_SET` holds as before. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { RMASHM_SEEK_SET = SEEK_SET, RMASHM_SEEK_CUR = SEEK_CUR, RMASHM_SEEK_END = SEEK_END };
#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END
static const int SEEK_SET = RMASHM_SEEK_SET;
static const int SEEK_CUR = RMASHM_SEEK_CUR;
static const int SEEK_END = RMASHM_SEEK_END;
#define SEEK_SET SEEK_SET
#define SEEK_CUR SEEK_CUR
#define SEEK_END SEEK_END
