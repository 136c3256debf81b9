// Schemas as people write them for configuration files, APIs, events and functions, in several drafts, with values that
// each accepts and refuses. The sample is our own.
import type { Schema } from '../schema-problem.ts'

export interface RealSchema {
  readonly schema: Schema
  readonly valid: readonly unknown[]
  readonly invalid: readonly unknown[]
  /** The keyword that a grammar cannot express, if there is one. */
  readonly inexpressible?: string
}

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_6 = 'http://json-schema.org/draft-06/schema#'
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

const event = { schema: 'iglu:org.example/click/jsonschema/1-0-0', data: { target: 'a' } }

export const realSchemas: Readonly<Record<string, RealSchema>> = {
  'a configuration file with the ids of a generator': {
    schema: {
      $schema: DRAFT_4,
      id: 'http://jsonschema.net',
      type: 'object',
      properties: {
        port: { id: 'http://jsonschema.net/port', type: 'integer', minimum: 0, exclusiveMinimum: true },
        hosts: { id: '/hosts', type: 'array', items: { id: '/0', type: 'string', format: 'hostname' } },
        ratio: { type: 'number', maximum: 1, exclusiveMaximum: true, default: 0.5 },
      },
      required: ['port'],
      additionalProperties: false,
    },
    valid: [{ port: 1 }, { port: 80, hosts: ['a.example'], ratio: 0.9 }],
    invalid: [{ port: 0 }, { port: 80, hosts: ['a b'] }, { port: 80, ratio: 1 }, { port: 80, id: 'x' }],
  },
  'a build with named jobs and two kinds of steps': {
    schema: {
      $schema: DRAFT_4,
      definitions: {
        step: {
          type: 'object',
          oneOf: [{ required: ['run'] }, { required: ['uses'] }],
          properties: {
            run: { type: 'string' },
            uses: { type: 'string', pattern: '^[\\w\\-]+\\/[\\w\\-]+\\@v\\d+$' },
          },
          additionalProperties: false,
        },
      },
      type: 'object',
      properties: {
        jobs: {
          type: 'object',
          patternProperties: {
            '^[a-z_][a-z0-9_-]*$': { type: 'array', minItems: 1, items: { $ref: '#/definitions/step' } },
          },
          additionalProperties: false,
          minProperties: 1,
        },
      },
      required: ['jobs'],
    },
    valid: [{ jobs: { build: [{ run: 'make' }, { uses: 'org/action@v1' }] } }],
    invalid: [
      { jobs: {} },
      { jobs: { Build: [{ run: 'make' }] } },
      { jobs: { build: [{}] } },
      { jobs: { build: [{ run: 'make', uses: 'org/action@v1' }] } },
      { jobs: { build: [{ uses: 'org/action' }] } },
    ],
  },
  'an object of a cluster': {
    schema: {
      $schema: DRAFT_7,
      type: 'object',
      properties: {
        apiVersion: { type: ['string', 'null'], enum: ['apps/v1'] },
        kind: { type: 'string', enum: ['Deployment'] },
        metadata: { $ref: '#/definitions/meta', description: 'Ignored beside a reference.', type: 'string' },
        spec: {
          type: ['object', 'null'],
          properties: {
            replicas: { type: ['integer', 'null'], format: 'int32' },
            port: { oneOf: [{ type: ['string', 'null'] }, { type: ['integer', 'null'] }] },
          },
        },
      },
      required: ['kind', 'metadata'],
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
      definitions: {
        meta: {
          type: 'object',
          properties: {
            labels: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
            creationTimestamp: { type: ['string', 'null'], format: 'date-time' },
          },
        },
      },
    },
    valid: [
      { kind: 'Deployment', metadata: { labels: { app: 'a' } }, spec: { replicas: 3_000_000_000, port: 80 } },
      { kind: 'Deployment', metadata: { creationTimestamp: '2026-01-01T00:00:00Z' }, spec: null },
    ],
    invalid: [
      { kind: 'Pod', metadata: {} },
      { kind: 'Deployment', metadata: 'a' },
      { kind: 'Deployment', metadata: { creationTimestamp: 'today' } },
      { kind: 'Deployment', metadata: {}, spec: { port: null } },
    ],
  },
  'an event of a tracker': {
    schema: {
      $schema: DRAFT_4,
      self: { vendor: 'org.example', name: 'event', format: 'jsonschema', version: '1-0-0' },
      type: 'object',
      properties: {
        schema: {
          type: 'string',
          pattern: '^iglu:[a-zA-Z0-9-_.]+/[a-zA-Z0-9-_]+/[a-zA-Z0-9-_]+/[0-9]+-[0-9]+-[0-9]+$',
        },
        data: {},
        time: { type: ['string', 'null'], format: 'date-time' },
        address: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
      },
      dependencies: { address: ['time'] },
      required: ['schema', 'data'],
      additionalProperties: false,
    },
    valid: [event, { ...event, time: '2026-01-01T00:00:00Z', address: '::1' }],
    invalid: [
      { ...event, schema: 'iglu:a' },
      { ...event, address: '192.0.2.1' },
      { ...event, time: null, address: '300.0.0.1' },
      { schema: event.schema },
    ],
  },
  'a story with embedded content': {
    schema: {
      $schema: DRAFT_4,
      id: 'https://example.org/ans/0.5/story.json',
      definitions: {
        element: {
          type: 'object',
          properties: {
            type: { type: 'string' },
            subtype: { type: 'string' },
            children: { $ref: '#/definitions/list' },
          },
          required: ['type'],
          not: { required: ['subtype', 'children'] },
        },
        list: { type: 'array', items: { $ref: 'story.json#/definitions/element' } },
      },
      type: 'object',
      properties: {
        type: { enum: ['story'] },
        version: { type: 'string', pattern: '^0\\.5\\.\\d$' },
        canonical_url: { type: 'string', format: 'uri' },
        content: { $ref: '#/definitions/list' },
      },
      required: ['type', 'version', 'content'],
    },
    valid: [
      { type: 'story', version: '0.5.1', content: [{ type: 'a', children: [{ type: 'b', subtype: 'c' }] }] },
    ],
    invalid: [
      { type: 'story', version: '0.6.0', content: [] },
      { type: 'story', version: '0.5.1', content: [{ type: 'a', children: [{}] }] },
      { type: 'story', version: '0.5.1', content: [{ type: 'a', subtype: 'b', children: [] }] },
      { type: 'story', version: '0.5.1', content: [], canonical_url: 'no address' },
    ],
  },
  'the parameters of a function': {
    schema: {
      type: 'object',
      properties: {
        shape: { type: 'string', enum: ['circle', 'rectangle'], description: 'The shape' },
        radius: { type: 'number', exclusiveMinimum: 0 },
        size: {
          type: 'array',
          items: [{ type: 'number' }, { type: 'number' }],
          additionalItems: false,
          minItems: 2,
        },
      },
      required: ['shape'],
      if: { properties: { shape: { const: 'circle' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['radius'] },
      else: { required: ['size'] },
    },
    valid: [
      { shape: 'circle', radius: 1 },
      { shape: 'rectangle', size: [1, 2] },
    ],
    invalid: [
      { shape: 'circle', size: [1, 2] },
      { shape: 'rectangle', radius: 1 },
      { shape: 'rectangle', size: [1, 2, 3] },
      { shape: 'circle', radius: 0 },
    ],
  },
  'a release with a list that must contain one entry': {
    schema: {
      $schema: DRAFT_6,
      $id: 'https://example.org/release.json',
      type: 'object',
      properties: {
        tag: { $ref: '#tag' },
        assets: { type: 'array', contains: { const: 'checksums.txt' }, uniqueItems: true, minItems: 2 },
      },
      required: ['tag', 'assets'],
      definitions: { tag: { $id: '#tag', type: 'string', pattern: '^v(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$' } },
    },
    valid: [{ tag: 'v1.0', assets: ['a', 'checksums.txt'] }],
    invalid: [
      { tag: 'v01.0', assets: ['a', 'checksums.txt'] },
      { tag: 'v1.0', assets: ['a', 'b'] },
      { tag: 'v1.0', assets: ['checksums.txt', 'checksums.txt'] },
    ],
    inexpressible: 'contains',
  },
  'a closed object that is put together': {
    schema: {
      $schema: DRAFT_2019,
      allOf: [{ $ref: '#/$defs/named' }],
      properties: { size: { type: 'integer' } },
      unevaluatedProperties: false,
      $defs: { named: { $anchor: 'named', properties: { name: { type: 'string' } }, required: ['name'] } },
      type: 'object',
    },
    valid: [{ name: 'a' }, { name: 'a', size: 1 }],
    invalid: [{ name: 'a', other: 1 }, { size: 1 }],
    inexpressible: 'unevaluatedProperties',
  },
}
