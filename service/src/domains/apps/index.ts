/** Assistants that owners connect to their agents: the OAuth server, and the apps connected through it. */
export { type AppAuthenticators, createAppAuthenticators } from './authenticate.ts'
export { appJobs } from './jobs.ts'
export { type PageRequested, requestPageCommand } from './request-page.ts'
export { serveConnectedApps } from './serve-apps.ts'
export { openToolCalls, type ToolCalls } from './tool-calls.ts'
