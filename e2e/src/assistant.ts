import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The official clients: that of today, and that which assistants of 2025 have. */
export const CLIENTS = ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'] as const
export type ClientPackage = (typeof CLIENTS)[number]

/** A program on a person's machine that uses an official client as it comes, and keeps what the client asks it to keep. */
export interface Assistant {
  /** The address of the consent page to which the client sends the person's browser. */
  consentUrl(): Promise<string>
  /** What the browser brought back. */
  responded(): Promise<URLSearchParams>
  /** Lets the client exchange the code, and connects. */
  connect(): Promise<{
    call(tool: string, input?: Record<string, unknown>): Promise<Record<string, unknown>>
    tools(): Promise<string[]>
  }>
  /** The access token that the client has got; null: none. */
  token(): string | null
  close(): Promise<void>
}

/** What a client keeps, by what it is. */
interface Kept {
  tokens?: { access_token: string; token_type: string; refresh_token?: string | undefined }
  client?: { client_id: string }
  verifier?: string
}

export async function openAssistant(
  resource: string,
  name: string,
  from: ClientPackage = '@modelcontextprotocol/client',
): Promise<Assistant> {
  const listener = await openListener()
  const kept: Kept = {}
  const { provider, consent } = providerOf(name, listener.redirectUrl, kept)
  const transport = () =>
    from === '@modelcontextprotocol/client'
      ? new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider })
      : new LegacyTransport(new URL(resource), { authProvider: provider })
  const info = { name, version: '1.0.0' }
  const newClient = () =>
    from === '@modelcontextprotocol/client'
      ? new Client(info, { versionNegotiation: { mode: 'auto' } })
      : new LegacyClient(info)
  const first = transport()
  let client = newClient()
  // It is refused, and sends the person to the consent page.
  client.connect(first as never).catch(() => undefined)
  return {
    consentUrl: () => consent,
    responded: () => listener.response,
    async connect() {
      const response = await listener.response
      await (first instanceof StreamableHTTPClientTransport
        ? first.finishAuth(response)
        : first.finishAuth(response.get('code') ?? ''))
      client = newClient()
      await client.connect(transport())
      return {
        async call(tool, input = {}) {
          const result = await client.callTool({ name: tool, arguments: input })
          return { isError: result.isError === true, ...Object(result.structuredContent) }
        },
        tools: async () => (await client.listTools()).tools.map(({ name: tool }) => tool),
      }
    },
    token: () => kept.tokens?.access_token ?? null,
    async close() {
      await client.close().catch(() => undefined)
      await listener.close()
    },
  }
}

/** Waits for the browser on the person's machine. */
async function openListener() {
  let back: (response: URLSearchParams) => void = () => undefined
  const response = new Promise<URLSearchParams>(resolve => (back = resolve))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1 data-page-title>Done</h1>')
    if (pathname === '/callback') back(searchParams)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    response,
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** What the official clients want of a program: to keep what they give it, and to open an address in a browser. */
function providerOf(name: string, redirectUrl: string, kept: Kept) {
  let send: (url: string) => void = () => undefined
  const consent = new Promise<string>(resolve => (send = resolve))
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation(client: { client_id: string }) {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: NonNullable<Kept['tokens']>) {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => send(String(url)),
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
  }
  return { provider, consent }
}
