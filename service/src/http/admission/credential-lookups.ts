import { hash } from 'node:crypto'
import type { Credential } from '@batua/contract'
import type { FastifyRequest } from 'fastify'
import { errorOf } from '../../kernel/app-error.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'
import type { Caller, MaybePromise } from '../caller.ts'
import type { Budget } from './rate-limit.ts'

type Found = Caller | null

/** Decides whether a credential may be looked up in the database. */
export interface CredentialLookups {
  /**
   * Looks a credential up by `find`. When the address has sent the maximum of wrong credentials in a minute, it refuses
   * with `rate_limit_exceeded` and does not call `find`, unless this credential was found valid recently.
   */
  lookUp(
    request: FastifyRequest,
    kind: Credential,
    credential: string,
    find: () => MaybePromise<Found>,
  ): MaybePromise<Found>
}

const WINDOW_MS = 60_000
/** Digests of credentials that were valid when this node last looked them up. */
const REMEMBERED_CREDENTIALS = 50_000
const REMEMBERED_ADDRESSES = 50_000
/** The maximum of look-ups of one address at the same time; fewer when it may send fewer wrong credentials. */
const LOOKUPS_AT_ONCE = 16
const MAX_WAITING = 2_000
const RETRY_AFTER_MS = 1_000

/** The credentials that one address has sent in this minute. */
interface Address {
  wrong: number
  windowEndsAtMs: number
  lookingUp: number
  readonly waiting: (() => void)[]
}

interface Left {
  readonly remaining: number
  readonly waitMs: number
}

export interface CredentialLookupOptions {
  /** Wrong credentials a minute for each address; 0 is no limit. */
  readonly max: () => number
  /** Counts them over all nodes. */
  readonly shared: Budget | null
  readonly addressOf: (request: FastifyRequest) => string
  readonly nowMs: () => number
}

/**
 * Requests of one address with unknown credentials wait for one another. So one address never sends more than `max` wrong
 * credentials to one node, and a company whose agents all reconnect at once is still served.
 */
export function openCredentialLookups(options: CredentialLookupOptions): CredentialLookups {
  const valid = boundedMap<string, true>(REMEMBERED_CREDENTIALS)
  const addresses = openAddresses(options)

  async function lookUpInTurn(request: FastifyRequest, digest: string, find: () => MaybePromise<Found>) {
    const address = await waitForTurn(request, addresses, options)
    try {
      const found = await find()
      if (found === null) await addresses.countWrong(request)
      else valid.set(digest, true)
      return found
    } finally {
      address.lookingUp--
      wakeNext(address)
    }
  }

  async function lookUpKnown(request: FastifyRequest, digest: string, find: () => MaybePromise<Found>) {
    const found = await find()
    if (found !== null) return found
    valid.delete(digest)
    await addresses.countWrong(request)
    return null
  }

  return {
    lookUp(request, kind, credential, find) {
      if (options.max() === 0) return find()
      const digest = hash('sha256', `${kind} ${credential}`, 'base64')
      const look = valid.get(digest) === true ? lookUpKnown : lookUpInTurn
      return look(request, digest, find)
    },
  }
}

interface Addresses {
  of(request: FastifyRequest): Address
  /** How many wrong credentials the address of a request may still send, on this node and over all nodes. */
  left(request: FastifyRequest): Promise<Left>
  countWrong(request: FastifyRequest): Promise<void>
}

function openAddresses({ max, shared, addressOf, nowMs }: CredentialLookupOptions): Addresses {
  const known = boundedMap<string, Address>(REMEMBERED_ADDRESSES)

  function of(request: FastifyRequest): Address {
    const name = addressOf(request)
    const found = known.get(name)
    const address = found ?? { wrong: 0, windowEndsAtMs: 0, lookingUp: 0, waiting: [] }
    if (found === undefined) known.set(name, address)
    if (address.windowEndsAtMs <= nowMs()) {
      address.wrong = 0
      address.windowEndsAtMs = nowMs() + WINDOW_MS
    }
    return address
  }

  return {
    of,
    async left(request) {
      const { wrong, windowEndsAtMs } = of(request)
      const own = { remaining: max() - wrong, waitMs: windowEndsAtMs - nowMs() }
      if (shared === null || own.remaining <= 0) return own
      const ofAll = await shared.left(request)
      return ofAll.remaining < own.remaining ? ofAll : own
    },
    async countWrong(request) {
      of(request).wrong++
      await shared?.countWrong(request)
    },
  }
}

/** Waits until one more credential of this address may be looked up. After its look-up the caller must wake the next. */
async function waitForTurn(
  request: FastifyRequest,
  addresses: Addresses,
  { max }: CredentialLookupOptions,
): Promise<Address> {
  for (;;) {
    const { remaining, waitMs } = await addresses.left(request)
    const address = addresses.of(request)
    if (remaining <= 0) {
      wakeNext(address)
      throw errorOf(rateLimitExceeded(`More than ${max()} wrong credentials in a minute`, max(), waitMs))
    }
    const atOnce = Math.min(remaining, LOOKUPS_AT_ONCE)
    if (address.lookingUp < atOnce) {
      address.lookingUp++
      if (address.lookingUp < atOnce) wakeNext(address)
      return address
    }
    if (address.waiting.length >= MAX_WAITING) {
      const what = `${MAX_WAITING} requests of this address wait for their credentials to be checked`
      throw errorOf(rateLimitExceeded(what, MAX_WAITING, RETRY_AFTER_MS))
    }
    await new Promise<void>(resolve => address.waiting.push(resolve))
  }
}

function wakeNext({ waiting }: Address): void {
  waiting.shift()?.()
}
