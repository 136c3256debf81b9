// Paths without a version and ids of models: which faults the cases find, and what they leave alone.
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases } from './versioning.ts'

const section = { cases }

testFaults(section, {
  'wire-serves-unversioned-paths': ['versioning.chat-without-v1', 'VERS-1'],
  'versioning-streams-without-v1': ['versioning.stream-without-v1', 'VERS-1'],
  'versioning-lists-models-without-v1': ['versioning.models-without-v1', 'VERS-1'],
  'versioning-lists-a-model-without-version': ['versioning.model-id', 'VERS-2'],
  'versioning-lists-an-array-without-v1': ['versioning.models-without-v1', 'VERS-1'],
})

testOddities(section)
