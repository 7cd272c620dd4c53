// What one sees as a link: its state, deflated, in the fragment of the address. Nothing leaves the browser.

const toBase64 = bytes => btoa(Array.from(bytes, b => String.fromCharCode(b)).join(""))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

async function packState(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return toBase64(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// null if the text is none of ours.
async function unpackState(text) {
  try {
    const state = JSON.parse(new TextDecoder().decode(await unpack(text.replace(/-/g, "+").replace(/_/g, "/"), "deflate-raw")));
    return state && typeof state === "object" ? state : null;
  } catch (damaged) {
    return null;
  }
}

const PREFIX = "#s=";
const sharedState = () => location.hash.startsWith(PREFIX) ? unpackState(location.hash.slice(PREFIX.length)) : Promise.resolve(null);
const linkTo = async state => location.href.split("#")[0] + PREFIX + await packState(state);
