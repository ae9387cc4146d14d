import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../config/config.ts'
import { cashfreeAddresses } from '../gateways/cashfree/index.ts'
import { connectRedis } from '../http/admission/rate-limit-store.ts'
import type { Logger } from '../kernel/logger.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const TIMEOUT_MS = 5_000

/** Redis and the systems outside. No request is sent to these: a connection shows name, route and certificate. */
export async function checkHosts(config: Config, logger: Logger): Promise<Finding[]> {
  return Promise.all([
    ...(config.redisUrl === null ? [] : [checkRedis(config.redisUrl, logger)]),
    ...outside(config).map(([subject, url]) => checkHost(subject, new URL(url))),
  ])
}

function outside({ gateway, otpSender, textMessages, notifications }: Config): (readonly [string, string])[] {
  const senders = [
    ['one-time codes', otpSender],
    ['text messages', textMessages.sender],
    ['notifications', notifications.sender],
  ] as const
  return [
    ...(gateway.kind === 'sandbox'
      ? []
      : [['gateway', cashfreeAddresses(gateway.environment, gateway.apiUrl).payments] as const]),
    ...senders.flatMap(([subject, sender]) =>
      sender.kind === 'http' ? [[subject, sender.url] as const] : [],
    ),
  ]
}

/** Without Redis each node counts alone, so it is no problem, but limits are higher than they were set. */
async function checkRedis(url: string, logger: Logger): Promise<Finding> {
  const redis = await connectRedis(url, logger)
  try {
    await new Promise((resolve, reject) => {
      redis.once('ready', resolve)
      redis.once('error', reject)
    })
    await redis.ping()
    return ok('Redis', 'responds')
  } catch (error) {
    return warning('Redis', `does not respond (${reasonOf(error)}). Each node then counts requests alone`)
  } finally {
    redis.disconnect()
  }
}

async function checkHost(subject: string, { protocol, hostname, port }: URL): Promise<Finding> {
  const isTls = protocol === 'https:'
  const target = { host: hostname, port: Number(port) || (isTls ? 443 : 80) }
  const name = `${target.host}:${target.port}`
  try {
    await connected(target, isTls)
    return ok(subject, `${name} can be reached${isTls ? ', and its certificate is valid' : ''}`)
  } catch (error) {
    return problem(subject, `${name} cannot be reached (${reasonOf(error)})`)
  }
}

async function connected(target: { host: string; port: number }, isTls: boolean): Promise<void> {
  const socket = isTls ? connectTls({ ...target, servername: target.host }) : connectTcp(target)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(isTls ? 'secureConnect' : 'connect', resolve)
      socket.once('error', reject)
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no response in 5 s')))
    })
  } finally {
    socket.destroy()
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
