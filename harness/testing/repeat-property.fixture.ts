// Repeats the case that a property failed on: FC_SEED and FC_PATH, as the end of the failed run shows them.
import * as fc from 'fast-check'

const { FC_SEED: seed, FC_PATH: path } = process.env

fc.configureGlobal({
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(path === undefined ? {} : { path }),
})
