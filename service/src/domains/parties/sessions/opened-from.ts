import Bowser from 'bowser'
import { networkOf } from '../../../http/admission/rate-limit.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { openedFromOf } from './store.ts'

/** From where a session was opened, as its holder recognizes it. It decides nothing. */
export interface OpenedFrom {
  readonly addressHint: string | null
  readonly agentHint: string | null
}

const LONGEST_USER_AGENT = 512
const LONGEST_NAME = 40

/** What is kept of a client address and a `User-Agent`: its network, and the names of the browser and the system. */
export function openedFrom(clientAddress: string, userAgent: string | undefined): OpenedFrom {
  return { addressHint: addressHint(clientAddress), agentHint: agentHint(userAgent) }
}

function addressHint(clientAddress: string): string {
  return clientAddress.includes('.') ? clientAddress.replace(/\.\d+$/, '.x') : networkOf(clientAddress)
}

function agentHint(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent === '') return null
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST_USER_AGENT))
  const [name, system] = [plain(browser.name), plain(os.name)]
  if (name !== null && system !== null) return `${name} on ${system}`
  return name ?? system ?? plain(userAgent.split('/', 1)[0])
}

/** A short name without control characters. The header is the caller's, so it may say anything. */
function plain(name: string | undefined): string | null {
  const text = (name ?? '')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, LONGEST_NAME)
    .trim()
  return text === '' ? null : text
}

export function encryptOpenedFrom(vault: Vault, sessionId: Uuid, from: OpenedFrom): Buffer {
  return vault.encrypt(JSON.stringify([from.addressHint, from.agentHint]), openedFromOf(sessionId))
}

export function decryptOpenedFrom(vault: Vault, sessionId: Uuid, encrypted: Buffer | null): OpenedFrom {
  if (encrypted === null) return { addressHint: null, agentHint: null }
  const [address, agent]: [string | null, string | null] = JSON.parse(
    vault.decrypt(encrypted, openedFromOf(sessionId)),
  )
  return { addressHint: address, agentHint: agent }
}
