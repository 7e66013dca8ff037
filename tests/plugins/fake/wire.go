package main

import "encoding/binary"

// Protobuf's wire format, as far as answers need it.

func varint(field int, value uint64) []byte {
	out := binary.AppendUvarint(nil, uint64(field)<<3)
	return binary.AppendUvarint(out, value)
}

func bytesField(field int, parts ...[]byte) []byte {
	var content []byte
	for _, part := range parts {
		content = append(content, part...)
	}
	out := binary.AppendUvarint(nil, uint64(field)<<3|2)
	out = binary.AppendUvarint(out, uint64(len(content)))
	return append(out, content...)
}

func text(field int, value string) []byte { return bytesField(field, []byte(value)) }

func join(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// The content of the first field of that number, if it is made of bytes.
func find(message []byte, field int) []byte {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return nil
		}
		message = message[n:]
		length, n := binary.Uvarint(message)
		if n <= 0 {
			return nil
		}
		message = message[n:]
		if tag&7 == 0 {
			continue
		}
		if tag&7 != 2 || length > uint64(len(message)) {
			return nil
		}
		if int(tag>>3) == field {
			return message[:length]
		}
		message = message[length:]
	}
	return nil
}
