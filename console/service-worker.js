/* global BUILD, FILES -- console/make-dist.ts writes both above this line */

// Keeps the page and its files, so that the console opens without a network and then says so. It never stores a response
// of the API.
const PAGE = '/console'
const CACHE = `console-${BUILD}`

addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(cache => cache.addAll([PAGE, ...FILES]))
      .then(() => skipWaiting()),
  )
})

addEventListener('activate', event => {
  event.waitUntil(
    caches
      .keys()
      .then(names =>
        Promise.all(
          names.filter(name => name.startsWith('console-') && name !== CACHE).map(name => caches.delete(name)),
        ),
      ),
  )
})

addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') event.respondWith(pageFor(request))
  else if (pathname.startsWith('/console/assets/')) event.respondWith(assetFor(request))
})

/** The network's page when there is a network, because each response has another nonce. */
async function pageFor(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(PAGE)
    if (kept === undefined) throw error
    return kept
  }
}

/** A file's name changes with its content, so a stored one is never old. */
async function assetFor(request) {
  const kept = await caches.match(request)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone())
  return response
}
