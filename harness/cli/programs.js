// The programs beside the judge that the one command starts, by their names. JavaScript, because an old Node reads it too.
// The executable for machines without Node (deploy/binary) has those that need no file and no program of the repository.

/** @type {Readonly<Record<string, { readonly about: string, readonly file: string, readonly isInExecutable?: boolean }>>} */
export const PROGRAMS = {
  serve: {
    about: 'Serve the reference server as a mock, for the tests of clients',
    file: 'server/mock.js',
    isInExecutable: true,
  },
  start: {
    about: 'Serve the reference server for operators, with its dashboard',
    file: 'server/main.js',
    isInExecutable: true,
  },
  keys: {
    about: 'Create and revoke keys of a reference server',
    file: 'server/dashboard/key-command.ts',
    isInExecutable: true,
  },
  pairs: {
    about: 'Try a client library of the record with a server of it, use by use',
    file: 'conformance/record/pairs/pairs-command.ts',
  },
  puppets: {
    about: 'Write models that say known texts, to judge the parsers of engines',
    file: 'puppets/puppets-command.ts',
  },
  load: { about: 'Load tests: rate limits, and the latency of streams', file: 'loadtest/cli.ts' },
  results: {
    about: 'Add to the public record of verdicts, and check it',
    file: 'conformance/record/results/results-command.ts',
  },
  site: { about: 'Write the public record as a site', file: 'conformance/record/site/write-site.ts' },
  fuzz: { about: 'Attack a service, or the judge itself', file: 'conformance/lab/fuzz/fuzz-command.ts' },
  model: { about: 'Fetch a small chat model for the reference server', file: 'fixtures/fetch-model.ts' },
  'llama-build': {
    about: 'Compile llama.cpp for this processor',
    file: 'server/engines/llama/build/build-llama.ts',
  },
  'llama-gpu': {
    about: 'Install the builds of llama.cpp for GPUs',
    file: 'server/engines/llama/build/install-gpu-builds.ts',
  },
}
