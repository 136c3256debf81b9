// Portkey's gateway listens on all addresses and takes the upstream from a header of each request: this makes it listen on
// loopback, and adds the header.
import { Server } from 'node:http'

const config = JSON.stringify({
  provider: 'openai',
  api_key: process.env.UPSTREAM_KEY,
  custom_host: process.env.UPSTREAM,
  request_timeout: 5000,
})

const { listen, emit } = Server.prototype
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const callback = rest.find((each) => typeof each === 'function')
  return listen.call(this, Number(port.port ?? port), '127.0.0.1', callback)
}
Server.prototype.emit = function emitWithConfig(event, request, ...rest) {
  if (event === 'request') {
    request.headers['x-portkey-config'] = config
    request.rawHeaders.push('x-portkey-config', config)
  }
  return emit.call(this, event, request, ...rest)
}
