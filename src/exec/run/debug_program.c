/*
 * debug_program.c
 *		gpudb.debug_program: writes a compiled program to a file.
 */
#include "postgres.h"

#include "storage/fd.h"

#include "core/vm/program.h"
#include "exec/run/debug_program.h"

static void
write_bytes(FILE *file, const char *path, const void *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, file) != n)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write file \"%s\": %m", path)));
}

void
debug_program_write(const char *path, const CompileResult *compiled)
{
	FILE	   *file = AllocateFile(path, PG_BINARY_W);
	int32		ncolumns = compiled->ncolumns;

	if (file == NULL)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not open file \"%s\" for writing: %m", path)));
	write_bytes(file, path, &ncolumns, sizeof(ncolumns));
	for (int i = 0; i < ncolumns; i++)
	{
		int16		column[2] = {compiled->column[i].attno, compiled->column[i].scale};

		write_bytes(file, path, column, sizeof(column));
	}
	write_bytes(file, path, compiled->program, compiled->program->size);
	if (FreeFile(file) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write file \"%s\": %m", path)));
}
