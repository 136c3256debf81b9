import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { clientAddress, networkOf, readTrustedProxies } from './client-address.ts'

const none = readTrustedProxies('')

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  [' ::1 , fd00::/8 ', 'fd12::9', true],
  ['fd00::/8', 'fe80::1', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['10.0.0.0/8', 'unknown', false],
  ['', '127.0.0.1', false],
  ['::ffff:10.0.0.0/104', '10.255.0.1', true],
  ['::ffff:10.0.0.0/104', '11.0.0.1', false],
  ['::FFFF:a00:1', '10.0.0.1', true],
])('of %j, %s is trusted: %s', (text, address, expected) => {
  expect(readTrustedProxies(text)(address)).toBe(expected)
})

test.each([
  'localhost',
  '10.0.0.0/33',
  '::/129',
  '::ffff:10.0.0.0/8',
  '10.0.0/8',
  '10.0.0.0/',
  '*',
  '10.0.0.1 10.0.0.2',
])('%j is refused by name', (entry) => {
  expect(() => readTrustedProxies(`127.0.0.1,${entry}`)).toThrow(new RangeError(entry))
})

describe('the address of a client', () => {
  test('is that of the socket, whatever the request says, if no proxy is trusted', () => {
    forAll(fc.ipV4(), fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (socket, forwarded) => {
      expect(clientAddress(socket, forwarded, none)).toBe(socket)
    })
  })

  const proxies = readTrustedProxies('10.0.0.0/8,::1')

  test.each([
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['::FFFF:a00:1', '203.0.113.5', '203.0.113.5'],
    ['0:0:0:0:0:ffff:10.0.0.1', '::ffff:cb00:7105, ::FFFF:10.0.0.2', '203.0.113.5'],
    ['::1', '2001:db8::9', '2001:db8::9'],
    // The text of the client is to the left of the proxy's entry, and is not reached.
    ['10.0.0.1', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
    ['10.0.0.1', '203.0.113.5, 10.0.0.2', '203.0.113.5'],
    ['10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ])('at %s with %j is %s', (socket, forwarded, expected) => {
    expect(clientAddress(socket, forwarded, proxies)).toBe(expected)
  })

  test('is never an entry before an address that is not trusted', () => {
    forAll(fc.array(fc.ipV4(), { maxLength: 50 }), (invented) => {
      const forwarded = [...invented, '203.0.113.5'].join(', ')
      expect(clientAddress('10.0.0.1', forwarded, proxies)).toBe('203.0.113.5')
    })
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
