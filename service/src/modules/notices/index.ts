/** What outside systems tell us: proved, followed once, and remembered. */
export { noticeJobs } from './jobs.ts'
export type { NoticeTaker, TakenNotice } from './notice-taker.ts'
export { serveNotices } from './routes.ts'
export { type NoticesContext, notNow, takeNotice } from './take-notice.ts'
