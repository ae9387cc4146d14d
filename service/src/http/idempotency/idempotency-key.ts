import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../../db/database.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { AppError } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { type Clock, DAY_MS } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { callerName, type MaybePromise } from '../caller.ts'
import { decryptResponse, encryptResponse, keyedFingerprint, strangerName } from './idempotent-secrets.ts'
import {
  claimUse,
  deleteOldUses,
  dropUse,
  extendUse,
  findUse,
  finishUse,
  type StoredUse,
  type Use,
} from './idempotent-store.ts'

/** Makes a repeated POST with the same Idempotency-Key return the response of the first one (contract section 1). */
export interface IdempotentRequests {
  run(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    work: () => MaybePromise<unknown>,
  ): Promise<unknown>
}

export interface IdempotencyOptions {
  readonly database: Queryable
  readonly clock: Clock
  readonly logger: Logger
  readonly vault: Vault
}

const KEPT_MS = DAY_MS
/** How long a request waits for changes of its key in all: a primary without its standbys confirms none. */
const CONFIRMED_WITHIN_MS = 8_000
/** How long it waits for the last one, if its work took all of that time. */
const LAST_CONFIRMED_WITHIN_MS = 500
/** A running request renews its lease, so only a request whose process died loses it. */
const LEASE_MS = 30_000
const RENEW_EVERY_MS = 10_000
const MAX_CLAIMS = 3
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header === 'string' && KEY.test(header)) return header
  throw new AppError(
    'validation_error',
    'Idempotency-Key must be 1 to 255 printable ASCII characters, sent once',
    {
      field: 'Idempotency-Key',
    },
  )
}

export function createIdempotentRequests(options: IdempotencyOptions): IdempotentRequests {
  const { database, clock, vault } = options
  return {
    async run(request, reply, key, work) {
      for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
        const use = useOf(vault, request, key, clock.now())
        if (await claimed(use, options)) return runFirst(use, reply, work, options)
        const earlier = await findUse(database, use.credential, key)
        if (earlier !== undefined) return replay(vault, earlier, use, reply)
        // The earlier request was refused between the two statements and released its key.
      }
      throw stillRunning()
    },
  }
}

/** Deletes a bounded batch of keys that are older than a day; returns how many. A job calls it. */
export function forgetIdempotencyKeys(database: Queryable, now: Date, limit: number): Promise<number> {
  return deleteOldUses(database, after(now, -KEPT_MS), limit)
}

function useOf(vault: Vault, request: FastifyRequest, key: string, createdAt: Date): Use {
  const digest = createHash('sha256').update(`${request.method} ${request.url}\n`)
  digest.update(request.rawBody ?? '')
  const { caller } = request
  // A caller without a credential has no identity, so its keys belong to its address.
  const isStranger = caller === null || caller.kind === 'public'
  const credential = isStranger ? strangerName(vault, request.ip) : callerName(caller)
  const fingerprint = keyedFingerprint(vault, { credential, key }, digest.digest())
  return { credential, key, fingerprint, createdAt }
}

async function claimed(use: Use, { database, logger }: IdempotencyOptions): Promise<boolean> {
  const claim = claimUse(database, use, after(use.createdAt, LEASE_MS), after(use.createdAt, -KEPT_MS))
  const isFirst = await confirmedWithin(claim, CONFIRMED_WITHIN_MS)
  if (isFirst !== undefined) return isFirst
  // The connection stays with the claim: were it closed, the server would keep it, and each repetition would take another.
  claim
    .then(won => (won ? dropUse(database, use) : undefined))
    .catch((error: unknown) => logger.warn({ err: error }, NOT_STORED))
  throw new DatabaseUnavailable('The database did not confirm that the key is used')
}

/** What the change returns; undefined if it is not confirmed in time, although it may be made later. */
async function confirmedWithin<T>(change: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([change, late])
  } finally {
    clearTimeout(timer)
  }
}

const NOT_STORED = 'idempotency key could not be stored'

async function runFirst(
  use: Use,
  reply: FastifyReply,
  work: () => MaybePromise<unknown>,
  { database, clock, logger, vault }: IdempotencyOptions,
): Promise<string> {
  const warn = (error: unknown) => logger.warn({ err: error }, NOT_STORED)
  const startedAt = performance.now()
  const last = (change: Promise<void>) => {
    const left = CONFIRMED_WITHIN_MS - (performance.now() - startedAt)
    return confirmedWithin(change.catch(warn), Math.max(left, LAST_CONFIRMED_WITHIN_MS))
  }
  const renewal = setInterval(() => {
    extendUse(database, use, after(clock.now(), LEASE_MS)).catch(warn)
  }, RENEW_EVERY_MS)
  try {
    const response = await work()
    const text = serialised(reply, response)
    // The request has taken effect, so the caller gets its response even if it cannot be stored for a repetition.
    const kept = encryptResponse(vault, use, withoutSecrets(response, reply))
    await last(finishUse(database, use, reply.statusCode, kept))
    return sendText(reply, text)
  } catch (error) {
    await last(dropUse(database, use))
    throw error
  } finally {
    clearInterval(renewal)
  }
}

function replay(vault: Vault, earlier: StoredUse, use: Use, reply: FastifyReply): string {
  if (!earlier.fingerprint.equals(use.fingerprint)) {
    throw new AppError(
      'idempotency_error',
      'This Idempotency-Key was used for another request; take a new key for a new request',
      { status: 422, field: 'Idempotency-Key' },
    )
  }
  if (earlier.status === null || earlier.response === null) throw stillRunning()
  const response = decryptResponse(vault, { ...use, createdAt: earlier.createdAt }, earlier.response)
  reply.code(earlier.status).header('idempotent-replayed', 'true')
  return sendText(reply, response)
}

function stillRunning(): AppError {
  return new AppError(
    'idempotency_error',
    'The first request with this Idempotency-Key is still running; repeat it',
    {
      status: 409,
      headers: { 'retry-after': '1' },
    },
  )
}

function sendText(reply: FastifyReply, text: string): string {
  reply.header('content-type', 'application/json; charset=utf-8')
  return text
}

const SHOWN_ONCE = ['platform_secret', 'webhook_secret', 'agent_key']

function serialised(reply: FastifyReply, response: unknown): string {
  const text: unknown = reply.serialize(response)
  assert(typeof text === 'string', 'a response is serialised to text')
  return text
}

/** Secrets are shown once, so the stored response has null in their place. */
function withoutSecrets(response: unknown, reply: FastifyReply): string {
  if (typeof response !== 'object' || response === null) return serialised(reply, response)
  const hidden = SHOWN_ONCE.filter(name => name in response).map(name => [name, null])
  return serialised(reply, { ...response, ...Object.fromEntries(hidden) })
}

function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds)
}

const FORGOTTEN_AT_ONCE = 1_000

/** The job that forgets the keys that are too old. */
export function idempotencyKeyCleanup(database: Queryable) {
  return {
    name: 'idempotency keys',
    everyMs: 60_000,
    run: (now: Date) => forgetIdempotencyKeys(database, now, FORGOTTEN_AT_ONCE),
  }
}
