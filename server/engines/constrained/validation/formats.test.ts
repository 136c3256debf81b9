// Each format accepts exactly what its own specification defines. `server/engines/constrained/test-suite.fixture.ts` runs the test suite of the standard.
import { expect, test } from 'vitest'
import { FORMATS } from './formats.ts'

test.each([
  [
    'date',
    ['2024-02-29', '2000-02-29', '0000-02-29'],
    ['2023-02-29', '1900-02-29', '2024-00-10', '2024-04-31', '2024-1-1'],
  ],
  [
    'time',
    ['23:59:60Z', '08:29:60+08:30', '15:59:60-08:00', '00:00:00.123456789012z'],
    ['22:59:60Z', '23:59:60+01:00', '24:00:00Z', '12:00:00', '12:00:00+24:00', '12:00:61Z', '1２:00:00Z'],
  ],
  [
    'date-time',
    ['1990-12-31T15:59:60-08:00', '1963-06-19t08:30:06.283185z', '1998-12-31T23:59:60Z'],
    ['1990-12-31T15:59:60Z', '1998-12-31T23:58:60Z', '1990-02-31T15:59:59-08:00', '2020-01-01 00:00:00Z'],
  ],
  [
    'duration',
    ['P1Y2M3DT4H5M6S', 'P4W', 'PT36H', 'P1M1D'],
    ['P1Y2D', 'PT1H1S', 'P', 'PT', 'P1YT', 'P1Y2W', 'p1d', 'P١Y'],
  ],
  [
    'email',
    [
      'joe.bloggs@example.com',
      'te~st@example.com',
      '"joe bloggs"@example.com',
      'joe@[127.0.0.1]',
      'joe@[IPv6:::1]',
    ],
    [
      '.test@example.com',
      'te..st@example.com',
      'a b@example.com',
      'joe@[127.0.0.300]',
      'joe@in valid=domain',
      '2962',
      '@a',
    ],
  ],
  [
    'hostname',
    ['www.example.com', 'xn--4gbwdl.xn--wgbh1c', 'a--b', 'XN--9N2BP8Q', 'x'.repeat(63)],
    [
      'xn--X',
      'ab--cd',
      '-a',
      'a-',
      'a..b',
      'a.',
      '',
      'x'.repeat(64),
      'a_b',
      Array(64).fill('abcd').join('.'),
      'xn--07jt112bpxg',
    ],
  ],
  ['ipv4', ['192.168.0.1', '0.0.0.0'], ['127.1', '256.0.0.1', '087.10.0.1', '1.2.3.4\n', '١.2.3.4']],
  [
    'ipv6',
    ['::', '::1', '1::', '1:2:3:4:5:6:7:8', '::ffff:192.168.0.1', '1:2::192.168.0.1', '1:2:3:4:5:6:7::'],
    [
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7:8::',
      '12345::',
      '::1%eth0',
      '::1/64',
      '1:2:3:4:5:6:7',
      '::1.2.3',
      '1.2.3.4::',
      ':1::2',
    ],
  ],
  ['json-pointer', ['', '/', '/a~0~1/b', '/\n'], ['a', '/~2', '/~', '#/a']],
  [
    'relative-json-pointer',
    ['0', '1/a', '0#', '120/foo~1', '2+1/a', '0-1#'],
    ['/a', '01', '-1/a', '0##', '+1', '1+0'],
  ],
  ['regex', ['a+', '\\p{L}', '(?<a>b)'], ['(', '\\Z', '^(abc]']],
  [
    'uri',
    [
      'http://a.b:80/c?d#e',
      'urn:a:b',
      'mailto:a@b',
      'ftp://[::1]/',
      'a:',
      'http://[v7.x]/',
      'http://%41/',
      'a:/b//c',
    ],
    [
      'http://a:abc/',
      '/a',
      '//a',
      'http://a b/',
      'http://[::1',
      'http://[1.2.3.4]/',
      'a:\\b',
      'bar,baz:a',
      'a:%zz',
      'http://é/',
      '',
    ],
  ],
  [
    'uri-reference',
    ['', '#a', '//a/b', '/a', 'a/b:c', '?x', 'http://a/'],
    ['\\\\a', 'a:b:c d', '1a:b', '#a\\b', '//[x]/'],
  ],
  [
    'uri-template',
    ['http://a/{b}/c', '{+x,y*,z:3}', "it's", '{a.b}', 'é'],
    ['{', '{}', '{a', 'a}', '{a:0}', '{a b}', '<', '%zz'],
  ],
  [
    'uuid',
    ['2EB8AA08-AA98-11EA-B4AA-73B441D16380'],
    [
      'urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380',
      '2eb8aa08aa9811eab4aa73b441d16380',
      '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
    ],
  ],
])('%s', (name, valid, invalid) => {
  const isOfFormat = FORMATS.get(name) ?? (() => undefined)
  expect(valid.filter((text) => isOfFormat(text) !== true)).toEqual([])
  expect(invalid.filter((text) => isOfFormat(text) !== false)).toEqual([])
})
