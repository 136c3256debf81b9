// The command line is read into options; an error in it is reported in one line.
import { describe, expect, it } from 'vitest'
import { runProgram } from '../../fixtures/run-program.fixture.ts'
import { readOptions } from './loadtest-options.ts'
import { scenarios } from '../judges/load-scenarios.ts'

describe('readOptions', () => {
  it('reads a scenario and its flags', () => {
    const options = readOptions(['rate-limit', '--base-url', 'http://127.0.0.1:1/v1', '--limit', '5/2'])
    expect(options.scenario?.name).toBe('rate-limit')
    expect(options).toMatchObject({
      baseUrl: 'http://127.0.0.1:1/v1',
      limit: { requests: 5, windowSeconds: 2 },
      algorithm: 'any',
      processes: 1,
    })
  })

  it.each([
    [[], /^expected a scenario, one of smoke, rate-limit.*; received no scenario$/],
    [['nothing'], /^expected a scenario.*; received 'nothing'$/],
    [['smoke', 'soak'], /^too many arguments.*soak/],
    [['smoke', '--limit', '5'], /^--limit: expected N\/SECONDS/],
    [['smoke', '--algorithm', 'guess'], /^--algorithm: expected any/],
    [['smoke', '--burst', '3'], /^--burst:/],
    [['smoke', '--processes', '0'], /^--processes:/],
    [['smoke', '--key', 'svc_sk_abcdefgh'], /^unknown option '--key'/],
    [['smoke', '--plan'], /expected --base-url too/],
    [['smoke', '--concurrency', '3'], /^--concurrency: .*only latency, judge$/],
    [['smoke', '--slo', 'ttft=5'], /^--slo: expected latency, or breakpoint/],
    [['breakpoint', '--slo', 'ttft=5', '--plan', '--base-url', 'http://127.0.0.1:1'], /^--plan and --record/],
    [['latency', '--limit', '3/3'], /^--limit: latency does not take it/],
    [['latency', '--slo', 'ttfb=5'], /^--slo: expected ttft=MS,tpot=MS,e2e=MS/],
    [['latency', '--slo', 'ttft=0'], /^--slo: /],
    [['latency', '--slo', 'ttft=5,ttft=6'], /^--slo: .*at most once/],
    [['latency', '--slo-share', '0'], /^--slo-share: expected a percentage above 0/],
    [['latency', '--slo-share', '100.1'], /^--slo-share: .*at most 100/],
    [['latency', '--prompt-tokens', '9-3'], /^--prompt-tokens: expected a number/],
    [['latency', '--answer-tokens', '0'], /^--answer-tokens: expected a number/],
    [['latency', '--shared-prefix', '65'], /^--shared-prefix: expected at most .* 64, got '65'/],
    [['latency', '--shared-prefix', '9', '--prompt-tokens', '8-20'], /^--shared-prefix: .* 8, got '9'/],
    [['latency', '--prompts', '/nowhere'], /^--prompts: \/nowhere cannot be read/],
    [['latency', '--concurrency', '3', '--rate', '3'], /^--concurrency: expected neither --rate/],
    [['latency', '--concurrency', '3', '--arrivals', 'poisson'], /^--concurrency: expected neither/],
    [['latency', '--arrivals', 'often'], /^--arrivals: expected poisson or constant/],
    [['latency', '--rate', '0'], /^--rate: expected a number above 0/],
    [['latency', '--start-in', '5'], /^--start-in: expected --plan too$/],
    [['compare', 'a.json'], /^compare: expected two files, received 1/],
    [['clock', '--listen', '65536'], /^--listen: expected a whole number from 0 to 65535/],
    [['svc_sk_abcdefghijkl'], /^(?!.*abcdefghijkl)/],
  ])('refuses %j in one line', (args, message) => {
    expect(() => readOptions(args)).toThrow(message)
    expect(() => readOptions(args)).not.toThrow(/\n/)
  })

  it('reads the values of a measurement of streams', () => {
    const args = '--rate 0.5 --slo ttft=500,e2e=2000.5 --slo-share 95 --prompt-tokens 8-20 --answer-tokens 9'
    expect(readOptions(['latency', ...args.split(' '), '--shared-prefix', '8'])).toMatchObject({
      isOfStreams: true,
      rate: 0.5,
      slo: { ttft: 500, e2e: 2000.5 },
      sloShare: 0.95,
      promptTokens: { least: 8, most: 20 },
      answerTokens: { least: 9, most: 9 },
      sharedPrefix: 8,
      usage: true,
    })
  })

  it('names every scenario in its help', () => {
    const { help } = readOptions(['--help'])
    for (const { name, about } of scenarios)
      expect(help).toMatch(new RegExp(`^  ${name} +${about.slice(0, 20)}`, 'm'))
  })
})

describe('the command', () => {
  it('ends with 2 and one line where there is no k6', async () => {
    const { code, stderr } = await runProgram(['loadtest/cli.ts', 'smoke'], { PATH: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^loadtest: k6 was not found: [^\n]*\n$/)
  })

  it('ends with 2 and one line where the limit of the keys is not given', async () => {
    const args = ['loadtest/cli.ts', 'rate-limit', '--base-url', 'http://127.0.0.1:1']
    const { code, stderr } = await runProgram(args, {})
    expect(code).toBe(2)
    expect(stderr).toMatch(/^loadtest: rate-limit: --limit [^\n]*\n$/)
  })
})
