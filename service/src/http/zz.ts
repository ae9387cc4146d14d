import { fastify } from 'fastify'
import rateLimit from '@fastify/rate-limit'
const f = fastify(); await f.register(rateLimit, { global: false })
const count = f.createRateLimit({ max: 1e9, timeWindow: 60000, keyGenerator: (r: any) => r.k, cache: 100000 } as never)
f.get('/', async () => { for (let r=0;r<5;r++){ const keys=Array.from({length:10000},(_,i)=>'agent:01890000-0000-7000-8000-'+String(i).padStart(12,'0')); const t=process.hrtime.bigint(); for(let i=0;i<200000;i++) await count({ k: keys[i%10000], routeOptions: {config:{}} } as never); console.log('limit us', Number(process.hrtime.bigint()-t)/200000/1000) } return {} })
await f.inject('/')
