// The order of versions.
import { expect, test } from 'vitest'
import { compareVersions } from './public-record.ts'

test.each([
  [['0.9.0', '0.10.0', '1.0.0-rc1', '1.0.0-rc2', '1.0.0', '1.0.0.post1', '1.0.1']],
  [['1.0.0-beta', '1.0', '1.0.0+build.2']],
  [['b999', 'b6543', 'b10000']],
  [['0.4.0-dev', '0.4.0', 'v0.4.1']],
])('the versions %j are in order', (versions) => {
  expect(versions.toReversed().toSorted(compareVersions)).toEqual(versions)
})
