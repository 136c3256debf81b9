// Checks the version of Node. Plain JavaScript without names that an older Node lacks, so that it can report the problem.

/** A package contains JavaScript, which older versions run too. */
const isPackage = /[\\/]node_modules[\\/]/.test(import.meta.url)

/** The first version that runs this project. */
const OLDEST = isPackage ? 22 : 24

/** npm has no build of the Node that package.json names for macOS. */
const ofCheckout =
  process.platform === 'darwin'
    ? 'on the PATH: brew install node@24, or nodejs.org'
    : 'npm scripts bring it: run npm ci, then npm run NAME'
const remedy = isPackage ? ': npx -p node@24 -p touchstone touchstone … runs it' : `: ${ofCheckout}`

/** The reason why this Node cannot run the project, as one line. */
export const nodeProblem =
  Number.parseInt(process.versions.node, 10) >= OLDEST
    ? undefined
    : `touchstone needs Node ${OLDEST}, received ${process.version}${remedy}`
