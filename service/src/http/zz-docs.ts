import { routes, type Route } from '@batua/contract'
import { startTestServer } from './test-server.ts'
import { addDocs } from './docs.ts'
import { addHealth } from './health.ts'
import { createMetrics } from '../kernel/metrics.ts'
let u = 'http://127.0.0.1:'+ (process.argv[2]); const s = await startTestServer(server => {
  for (const r of Object.values(routes)) if (!r.path.endsWith('z')) server.serve(r as Route, (() => ({})) as never)
  addHealth(server, { isReady: async () => true, metrics: createMetrics() })
  addDocs(server, { title: 'Batua', version: '0.1.0', description: 'Wallets for agents', serverUrl: u })
})
import net from 'node:net'; net.createServer(c => { const d = net.connect(s.port,'127.0.0.1'); c.pipe(d); d.pipe(c); d.on('error',()=>{}); c.on('error',()=>{}) }).listen(Number(process.argv[2]), '127.0.0.1'); console.log(s.port)
setTimeout(() => process.exit(), 25000)
