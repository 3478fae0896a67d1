/* SPDX-License-Identifier: BSD-3-Clause
   Gossamer as a PETSc matrix type, for programs that name it: link with libgossamer_petsc. Programs that do not need no
   change: -dll_append /path/to/libgossamer_petsc.so -mat_type gossamer. */
#ifndef GOSSAMER_PETSC_H
#define GOSSAMER_PETSC_H

#include <petscmat.h>

/* What MatSetType() and MatConvert() take. MatGetType() says MATSEQAIJGOSSAMER or MATMPIAIJGOSSAMER, since PETSc tells a type
   that is derived from AIJ by the beginning of its name. */
#define MATGOSSAMER "gossamer"
#define MATSEQGOSSAMER "seqgossamer"
#define MATMPIGOSSAMER "mpigossamer"
#define MATAIJGOSSAMER "aijgossamer"
#define MATSEQAIJGOSSAMER "seqaijgossamer"
#define MATMPIAIJGOSSAMER "mpiaijgossamer"

/* Registers the matrix types; what -dll_append does. Collective on PETSC_COMM_WORLD, after PetscInitialize(); a second call
   does nothing. Fails where the running PETSc is not of the kind and version that the library was built for. */
PETSC_EXTERN PetscErrorCode GossamerPetscRegister(void);

/* How often the matrix was inspected, and how often a plan was given new values instead; of a parallel matrix what this process
   did for the two blocks that it has now (PETSc makes the second one anew where entries in new columns come). Not collective. Either
   pointer may be NULL. */
PETSC_EXTERN PetscErrorCode GossamerPetscGetCounts(Mat matrix, PetscInt* inspections, PetscInt* updates);

#endif
