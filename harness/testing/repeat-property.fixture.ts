// Repeats a failed case of a property with FC_SEED and FC_PATH, which the end of the failed run prints.
import * as fc from 'fast-check'

const { FC_SEED: seed, FC_PATH: path } = process.env

fc.configureGlobal({
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(path === undefined ? {} : { path }),
})
