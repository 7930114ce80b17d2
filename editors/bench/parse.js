// Every line that comes in is a Markdown text as a JSON string; its tokens go
// out as one line of JSON.
const md = require('markdown-it')({ html: true });
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
	process.stdout.write(JSON.stringify(md.parse(JSON.parse(line), {})) + '\n');
});
