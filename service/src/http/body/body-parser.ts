import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/app-error.ts'
import { parseStrictJson } from './strict-json.ts'

export const BODY_LIMIT_BYTES = 64 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw bytes of the body, for the signatures of gateway webhooks. */
    rawBody: Buffer | undefined
  }
}

const JSON_UTF8 = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** The only parser of bodies: JSON in UTF-8, or no body. */
export function addBodyParser(fastify: FastifyInstance): void {
  fastify.decorateRequest('rawBody', undefined)
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body = readBody(request, bytes)
    done(null, body)
  })
  // The content-type of an empty body is ignored: `curl -d ''` sends that of a form.
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(unsupported('application/json'))
  })
}

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  const type = request.headers['content-type']
  if (type !== 'application/json' && !JSON_UTF8.test(type ?? ''))
    throw unsupported('application/json in UTF-8')
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      'Bodies cannot be compressed; send it without content-encoding',
    )
  }
  request.rawBody = bytes
  return parseStrictJson(bytes)
}

function unsupported(wanted: string): AppError {
  return new AppError(
    'unsupported_media_type',
    `Send the body as JSON with the header content-type: ${wanted}`,
  )
}
