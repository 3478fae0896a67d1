# What scripts/machine says of machines made of files. Run with -D SCRIPT and -D WORK.
cmake_minimum_required(VERSION 3.24)

# expect(NAME TEXT...): each text is in what is said of the machine in WORK/NAME.
function(expect name)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env OMP_NUM_THREADS=7 ${SCRIPT} ${WORK}/${name}
                  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  foreach(text ${ARGN} "Processors: " "OMP_NUM_THREADS=7")
    string(FIND "${said}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${name}: \"${text}\" is not in:\n${said}")
    endif()
  endforeach()
endfunction()

function(cache name index level type size shared)
  set(folder ${WORK}/${name}/sys/devices/system/cpu/cpu2/cache/index${index})
  file(WRITE ${folder}/level "${level}\n")
  file(WRITE ${folder}/type "${type}\n")
  file(WRITE ${folder}/size "${size}\n")
  file(WRITE ${folder}/shared_cpu_list "${shared}\n")
endfunction()

file(REMOVE_RECURSE ${WORK})
set(avx2 "sse2 avx2 fma")
set(avx512 "${avx2} avx512f avx512dq avx512bw avx512vl")
file(WRITE ${WORK}/xeon/proc/cpuinfo "processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 207
model name\t: Intel(R) Xeon(R) Processor
flags\t\t: ${avx512}

processor\t: 1
model name\t: another
")
file(WRITE ${WORK}/xeon/proc/self/status "Name:\tsed\nCpus_allowed_list:\t2-3\n")
cache(xeon 0 1 Data 48K 2)
cache(xeon 1 3 Unified 266240K 0-3)
expect(xeon "CPU: Intel(R) Xeon(R) Processor (GenuineIntel, family 6, model 207)\n" "list 2-3\n" "Instruction set: avx512\n"
       "Caches of processor 2: L1 data 48 KiB, L3 260 MiB shared by processors 0-3\n")

# A container may hide any of these.
file(WRITE ${WORK}/no_caches/proc/cpuinfo "model name\t: Some CPU\nflags\t\t: ${avx2}\n")
expect(no_caches "CPU: Some CPU (" "Instruction set: avx2\n" "Caches of processor 0: unknown\n")
file(WRITE ${WORK}/old/proc/cpuinfo "flags\t\t: sse2 avx2\n")
expect(old "CPU: unknown (" "Instruction set: baseline\n")
file(MAKE_DIRECTORY ${WORK}/nothing)
expect(nothing "CPU: unknown (" "Instruction set: unknown\n" "Caches of processor 0: unknown\n")
