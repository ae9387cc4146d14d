import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let address: Promise<string> | null = null

/** The address of a receiver that accepts every webhook; one for the process, which it does not keep alive. */
export function webhookSink(): Promise<string> {
  return (address ??= listen())
}

function listen(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  })
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve(`http://127.0.0.1:${port}/webhooks`)
    })
  })
}
