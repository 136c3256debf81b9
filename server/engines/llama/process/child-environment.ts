// The environment of the inference child. The child reads untrusted model files, so it gets no password, no database
// address and no upstream key, whatever their names are.

/** Variables that locate programs, folders, libraries and devices, tune threads, and configure downloads. */
const NAMES =
  /^(PATH|HOME|USER|TMPDIR|TMP|TEMP|TZ|LANG|LC_\w+|SYSTEMROOT|XDG_\w+|LD_LIBRARY_PATH|DYLD_\w+|GOMP_\w+|OMP_\w+|KMP_\w+|GGML_\w+|NODE_LLAMA_CPP_\w+|CUDA_\w+|NVIDIA_\w+|HIP_\w+|ROCR_\w+|VK_\w+|HF_\w+|MODEL_ENDPOINT|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|NODE_DISABLE_COMPILE_CACHE|CI)$/i

/** The variables of `env` that the child may see. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => NAMES.test(name)))
}
