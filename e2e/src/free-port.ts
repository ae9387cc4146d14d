import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports for outgoing connections, which could take the port of a restarting service. */
const FIRST_PORT = 20_000
const LAST_PORT = 32_000
const MAX_ATTEMPTS = 50

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (await isFree(port)) return port
  }
  throw new Error('no free port was found')
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
