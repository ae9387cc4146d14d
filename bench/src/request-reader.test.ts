import { expect, it } from 'vitest'
import { headersOf, readRequest } from './request-reader.ts'

const REQUEST = Buffer.from('POST /webhooks HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nfour')

it('a request is read only when it is complete, however it was split', () => {
  for (let length = 0; length < REQUEST.length; length++) {
    expect(readRequest(REQUEST.subarray(0, length))).toBe('partial')
  }
  expect(readRequest(REQUEST)).toMatchObject({ body: Buffer.from('four'), end: REQUEST.length })
})

it('two requests that arrive together are separated', () => {
  const request = readRequest(Buffer.concat([REQUEST, REQUEST]))
  expect(request).toMatchObject({ body: Buffer.from('four'), end: REQUEST.length })
})

it('a request without a content-length is unreadable', () => {
  expect(readRequest(Buffer.from('POST / HTTP/1.1\r\nhost: test\r\n\r\n'))).toBe('unreadable')
})

it('headers are found by their names in lower case', () => {
  const request = readRequest(REQUEST)
  expect(headersOf(typeof request === 'string' ? '' : request.head)).toEqual({
    host: 'test',
    'content-length': '4',
  })
})
