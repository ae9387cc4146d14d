import type { Readable } from 'node:stream'
import type { ErrorCode } from '@batua/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseBusy, DatabaseUnavailable } from '../db/errors.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Logger } from '../kernel/logger.ts'
import { traceOf } from './access-log.ts'

/** The envelope of every error response (contract section 1, Errors). */
export interface Envelope {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly request_id: string
    readonly field?: string
    readonly details?: Record<string, unknown>
  }
}

export function envelopeOf(error: AppError, requestId: string): Envelope {
  const { code, message, field, details } = error
  return {
    error: {
      code,
      message,
      request_id: requestId,
      ...(field === undefined ? {} : { field }),
      ...(details === undefined ? {} : { details }),
    },
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that the response says; null: it is no error. */
    errorCode: ErrorCode | null
  }
}

/** Renders every error of a parsed request; `client-error.ts` renders earlier ones. */
export function addErrorRenderer(fastify: FastifyInstance, logger: Logger): void {
  fastify.setErrorHandler(async (error, request, reply) => {
    if (codeOf(error) === TOO_LARGE) await dropRest(request.raw)
    renderError(error, request, reply, logger)
  })
}

const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'

/** Enough for a document that was sent by mistake. */
const DROPPED_BYTES = 4 * 1024 * 1024

/**
 * Reads the rest of a body that is refused: the connection is closed after the response, and a client that still sends
 * would find it broken before it reads the response.
 */
async function dropRest(body: Readable): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length
      if (bytes > DROPPED_BYTES) return
    }
  } catch {
    // The client left.
  }
}

export function renderError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): void {
  const shown = appErrorOf(error)
  request.errorCode = shown.code
  if (shown.code === 'internal_error') {
    const { id, method } = request
    logger.error({ request_id: id, ...traceOf(request), method, err: error }, 'a request failed')
  }
  void reply
    .code(shown.status)
    .header('x-request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .headers(shown.headers ?? {})
    // Serialised here, because the response schema of the route does not describe errors.
    .send(JSON.stringify(envelopeOf(shown, request.id)))
}

const RETRY_SOON_S = '1'

export function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof DatabaseUnavailable) {
    const message = 'The service is away for a moment; repeat the request with the same idempotency key'
    return new AppError('service_unavailable', message, { headers: { 'retry-after': RETRY_SOON_S } })
  }
  if (error instanceof DatabaseBusy) {
    const message =
      'Too much is waiting for the same thing. Nothing was done; repeat the request with the same idempotency key'
    return new AppError('service_unavailable', message, { headers: { 'retry-after': RETRY_SOON_S } })
  }
  return (
    frameworkError(error) ??
    new AppError('internal_error', 'Something failed here; quote the request id to us')
  )
}

/** Errors that fastify raises before a handler runs. Their messages are replaced, because they may quote input. */
function frameworkError(error: unknown): AppError | null {
  switch (codeOf(error)) {
    case TOO_LARGE:
      return new AppError('payload_too_large', 'The body is larger than 64 KiB; send less')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        'unsupported_media_type',
        'Send the body as JSON with the header content-type: application/json',
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('validation_error', 'The body is not as long as its content-length says')
    case 'FST_ERR_BAD_URL':
      return new AppError('validation_error', 'The address is not valid; check its percent-encoding')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('validation_error', 'A part of the address is too long')
    case 'FST_ERR_NOT_FOUND':
      return notFound()
    // The connection broke during the body, so no client reads this.
    case 'ECONNRESET':
      return new AppError('validation_error', 'The request ended before its body was complete')
    default:
      return null
  }
}

export function notFound(): AppError {
  return new AppError('not_found', 'There is no such route; GET /openapi.json lists them all')
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
