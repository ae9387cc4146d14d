import { expect, it } from 'vitest'
import { readResponse } from './response-reader.ts'

const RESPONSE =
  'HTTP/1.1 402 Payment Required\r\nx: y\r\ncontent-length: 11\r\ndate: now\r\n\r\n{"a":"b 12"}'

it('a response is read once it is complete, however it was split', () => {
  const whole = Buffer.from(RESPONSE.slice(0, -1))
  for (let length = 0; length < whole.length; length++) {
    expect(readResponse(whole.subarray(0, length))).toBeUndefined()
  }
  expect(readResponse(whole)).toEqual({ status: 402, bodyStart: whole.indexOf('{'), end: whole.length })
})

it('bytes after a response do not belong to it', () => {
  const { length } = RESPONSE
  expect(readResponse(Buffer.from(`${RESPONSE.slice(0, -1)}HTTP/1.1 200 OK`))?.end).toBe(length - 1)
})

it('a response of unknown length is an error and not an endless wait', () => {
  expect(() => readResponse(Buffer.from('HTTP/1.1 200 OK\r\n\r\ncontent-length: 3'))).toThrow(
    'content-length',
  )
})
