import type { Readable } from 'node:stream'
import type { MediaType } from '@batua/contract'
import { assert } from '../kernel/assert.ts'

/** A response that is sent while it is made. An error of the stream ends the connection, so the client notices. */
export interface Streamed<Type extends MediaType = MediaType> {
  readonly type: Type
  readonly body: Readable
  /** The name under which a browser saves it: letters, digits, `-`, `_` and `.` alone. */
  readonly fileName?: string
}

const CONTENT_TYPES: Record<MediaType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/pdf': 'application/pdf',
  'text/event-stream': 'text/event-stream',
}

export function headersOf({ type, fileName }: Streamed): Record<string, string> {
  assert(fileName === undefined || /^[\w.-]+$/.test(fileName), 'a file name needs no quotes')
  return {
    'content-type': CONTENT_TYPES[type],
    'cache-control': 'no-store',
    // nginx collects a response before it passes it on, unless this header tells it not to.
    'x-accel-buffering': 'no',
    ...(fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` }),
  }
}
