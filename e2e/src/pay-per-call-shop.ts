import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@batua/sdk'
import type { X402Scheme } from '@batua/sdk/seller'

/** The options of every shop. */
export interface ShopOptions {
  readonly client: Client
  readonly payTo: string
  readonly verifyTimeoutMs?: number
  /** Whether x402 is spoken too, and the origin at which buyers know the service. */
  readonly x402?: boolean | X402Scheme
  readonly service?: string
  readonly onError?: (error: unknown) => void
  /** Called by the handler of the weather when it runs. */
  readonly onWeather?: () => void
}

export interface Shop {
  readonly address: string
  readonly server: Server
  close(): Promise<void>
}

/** The option that keeps a failed request's nonce valid. */
export const KEEPS = { onFailure: 'keep' } as const

export function pagePrice(count: unknown): number {
  return Number(count) / 4
}

export function wordPrice(body: unknown): number {
  return (body as { readonly words: number }).words / 10
}

/** Throws at the first request for each thing. */
export function createUnsteadiness(): (thing: string) => void {
  const asked = new Set<string>()
  return thing => {
    if (asked.has(thing)) return
    asked.add(thing)
    throw new Error('not this time')
  }
}

export async function openShop(server: Server): Promise<Shop> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: addressOf(server),
    server,
    close: () => new Promise(resolve => server.close(() => resolve()).closeAllConnections()),
  }
}

export function addressOf(server: Server): string {
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** Leaves out a header of a response. */
export function hideHeader(response: ServerResponse, hidden: string): void {
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => (name === hidden ? response : setHeader(name, value))
}
