// How llama.cpp is compiled on this machine. The compiled library is found again by these very options.

/** Options of CMake: the instructions of this processor, and threads that wait for each other without sleeping. */
export const BUILD_OPTIONS = { GGML_NATIVE: 'ON', GGML_OPENMP: 'ON' } as const
