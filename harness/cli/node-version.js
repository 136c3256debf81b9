// Checks the version of Node. Plain JavaScript without names that an older Node lacks, so that it can report the problem.

/** The first version that runs the TypeScript of this project. */
const OLDEST = 24

const remedy = /[\\/]node_modules[\\/]/.test(import.meta.url)
  ? ''
  : ': npm scripts bring it: run npm ci, then npm run NAME'

/** The reason why this Node cannot run the project, as one line. */
export const nodeProblem =
  Number.parseInt(process.versions.node, 10) >= OLDEST
    ? undefined
    : `touchstone needs Node ${OLDEST}, received ${process.version}${remedy}`
